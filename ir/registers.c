/* The tables of a register model; see registers.h. */
#include "ir/registers.h"
#include "ir/ops.h"

/* Registers [first, first + count). */
static NornRegisterSet
regs_from(unsigned first, unsigned count) {
  NornRegisterSet set = {{0}};
  for (unsigned chunk; count; first += chunk, count -= chunk) {
    chunk = MIN(count, 64 - first % 64);
    norn_regs_add(&set, norn_regs_range(first, chunk));
  }
  return set;
}

/* All registers whose distance from the first one is a multiple of 2 to the power of `log`. */
static NornRegisterSet
every(unsigned first, unsigned log) {
  static const uint64_t patterns[] = {UINT64_MAX, 0x5555555555555555, 0x1111111111111111,
                                      0x0101010101010101};
  NornRegisterSet set;
  for (unsigned k = 0; k < NORN_REGISTER_WORDS; k++)
    set.words[k] = patterns[log] << (first & ((1u << log) - 1));
  return set;
}

static void
add_class(NornRegisterModel *model, unsigned number) {
  const NornRegisterClass *class = &model->file->classes[number];
  NornRegisterSet members = regs_from(class->first, class->count);
  model->members[number] = members;
  for (unsigned log = 0; log < NORN_REGISTER_ALIGNMENTS; log++)
    model->multiples[number][log] = norn_regs_common(members, every(class->first, log));
  for (unsigned words = 0; words <= NORN_GROUP_REGISTERS; words++) {
    unsigned log = (unsigned)__builtin_ctz(class->alignment[words]);
    model->alignment[number][words] = (uint8_t)log;
    if (words && words <= class->count)
      model->starts[number][words] = norn_regs_common(
          model->multiples[number][log], regs_from(class->first, class->count - words + 1));
  }
  norn_regs_add(&model->all, members);
  model->count = MAX(model->count, (unsigned)class->first + class->count);
}

static NornTypeRegisters
registers_of_type(const NornRegisterFile *file, NornType type) {
  NornTypeRegisters registers = {.class = (uint8_t)norn_register_class(file, type)};
  const NornRegisterClass *class = &file->classes[registers.class];
  unsigned count = (norn_type_bits(type) + class->bits - 1) / class->bits;
  unsigned alignment = class->alignment[count];
  registers.count = (uint8_t)count;
  registers.room.of[registers.class] = (count + alignment - 1) & ~(alignment - 1);
  return registers;
}

void
norn_register_model_init(NornRegisterModel *model, const NornRegisterFile *file) {
  *model = (NornRegisterModel){.file = file};
  for (unsigned number = 0; number < file->class_count; number++)
    add_class(model, number);
  for (unsigned type = 0; type < NORN_TYPE_COUNT; type++)
    model->types[type] = registers_of_type(file, type);
}

NornRegisterCounts
norn_regs_by_class(const NornRegisterModel *model, NornRegisterSet set) {
  NornRegisterCounts counts = {{0}};
  for (unsigned number = 0; number < model->file->class_count; number++)
    counts.of[number] = norn_regs_count(norn_regs_common(set, model->members[number]));
  return counts;
}
