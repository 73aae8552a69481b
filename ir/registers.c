/* The tables of a register model; see registers.h. */
#include "ir/registers.h"
#include "ir/ops.h"

static void
add_class(NornRegisterModel *model, unsigned number) {
  const NornRegisterClass *class = &model->file->classes[number];
  for (unsigned words = 0; words <= NORN_GROUP_REGISTERS; words++)
    model->alignment[number][words] = (uint8_t)__builtin_ctz(class->alignment[words]);
  for (unsigned k = 0; k < class->count; k++) {
    NornRegisterSet reg = norn_regs_of(class->first + k);
    norn_regs_add(&model->members[number], reg);
    for (unsigned log = 0; log < NORN_REGISTER_ALIGNMENTS; log++)
      if (k % (1u << log) == 0)
        norn_regs_add(&model->multiples[number][log], reg);
    for (unsigned words = 1; words <= NORN_GROUP_REGISTERS; words++)
      if (k % class->alignment[words] == 0 && k + words <= class->count)
        norn_regs_add(&model->starts[number][words], reg);
  }
  norn_regs_add(&model->all, model->members[number]);
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
