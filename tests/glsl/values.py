"""Integers and aggregates of GLSL in Python, and their layout in blocks."""

# Name: bits, signed.
INTEGERS = {
    "uint": (32, False), "int": (32, True), "uint8_t": (8, False), "int8_t": (8, True), "uint16_t": (16, False),
    "int16_t": (16, True), "uint64_t": (64, False), "int64_t": (64, True),
}
VECTORS = {"uvec2": ("uint", 2), "uvec3": ("uint", 3), "uvec4": ("uint", 4), "ivec2": ("int", 2), "ivec3": ("int", 3), "ivec4": ("int", 4)}


def wrap(kind, value):
    bits, signed = INTEGERS[kind]
    value = int(value) & (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


def copy(value):
    """Arrays, vectors and structures are values."""
    return [copy(item) for item in value] if isinstance(value, list) else value


def reverse_bits(value):
    return int(f"{value & 0xFFFFFFFF:032b}"[::-1], 2)


def find_msb(value):
    return (value if value >= 0 else ~value).bit_length() - 1


def find_lsb(value):
    return (value & -value).bit_length() - 1


def divide(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def round_up(size, alignment):
    return (size + alignment - 1) // alignment * alignment


class Layout:
    """The layout of blocks: std140 or std430."""

    def __init__(self, program, is_std140):
        self.program, self.least = program, 16 if is_std140 else 1

    def measure(self, kind):
        """Size and alignment, in bytes."""
        if kind in INTEGERS:
            return INTEGERS[kind][0] // 8, INTEGERS[kind][0] // 8
        if kind in VECTORS:
            count = VECTORS[kind][1]
            return 4 * count, 4 * (2 if count == 2 else 4)
        parts = [self.measure(part) for _, _, part in self.program.fields(kind)]
        alignment = max([self.least] + [part[1] for part in parts])
        if kind.endswith("]"):
            return len(parts) * round_up(parts[0][0], alignment), alignment
        return round_up(self.places([part for _, _, part in self.program.fields(kind)])[1], alignment), alignment

    def places(self, kinds):
        """The offset of each of the kinds in sequence, and the end of the last one."""
        offsets, end = [], 0
        for kind in kinds:
            size, alignment = self.measure(kind)
            end = round_up(end, alignment)
            offsets.append(end)
            end += size
        return offsets, end

    def pack(self, kind, value, into, at):
        if kind in INTEGERS:
            size = INTEGERS[kind][0] // 8
            into[at:at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
            return
        parts = [part for _, _, part in self.program.fields(kind)]
        if kind in VECTORS:
            offsets = range(0, 4 * len(parts), 4)
        elif kind.endswith("]"):
            stride = self.measure(kind)[0] // len(parts)
            offsets = range(0, stride * len(parts), stride)
        else:
            offsets = self.places(parts)[0]
        for part, item, offset in zip(parts, value, offsets):
            self.pack(part, item, into, at + offset)
