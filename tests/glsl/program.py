"""Random programs, each in GLSL and in Python."""
import random

from values import INTEGERS, VECTORS, wrap

WORDS = 4  # words of output and input for each invocation

HEADER = """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
"""


class Value:
    """An expression in both languages."""

    def __init__(self, kind, glsl, python):
        self.kind, self.glsl, self.python = kind, glsl, python


class Program:
    def __init__(self, seed, has_subgroups=True):
        self.random = random.Random(seed)
        self.has_subgroups = has_subgroups
        self.glsl, self.python = [], []
        self.indent = 0
        self.names = 0
        self.scopes = []  # of variables: lists of (name, kind)
        self.structs = {}  # name: [(field, kind)]
        self.functions = []  # (name, result, [(kind, mode)])
        self.fuel = 0
        self.in_function = None
        self.blocks = []  # (block, is_std140, [(name, kind)]), to read from
        self.loops = []  # innermost last: "for", "do" or "switch"
        self.workgroup = self.random.choice([16, 20, 32, 48])
        self.groups = self.random.choice([1, 2])
        # As many names as the program has for its integers.
        self.kinds = ["uint"] * 4 + ["int"] * 3 + self.random.sample(sorted(INTEGERS), 3)

    # - Text -

    def emit(self, glsl, python):
        if glsl is not None:
            self.glsl.append("  " * self.indent + glsl)
        if python is not None:
            self.python.append("  " * self.indent + python)

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def chance(self, percent):
        return self.random.randrange(100) < percent

    # - Types -

    def fields(self, kind):
        """An aggregate's parts: [(accessor in GLSL, in Python, kind)]; none of a scalar."""
        if kind in VECTORS:
            scalar, count = VECTORS[kind]
            return [("." + "xyzw"[i], f"[{i}]", scalar) for i in range(count)]
        if kind in self.structs:
            return [("." + field, f"[{i}]", part) for i, (field, part) in enumerate(self.structs[kind])]
        if kind.endswith("]"):
            part, _, count = kind[:-1].rpartition("[")
            return [(f"[{i}]", f"[{i}]", part) for i in range(int(count))]
        return []

    def zero(self, kind):
        parts = self.fields(kind)
        if parts:
            return "[" + ", ".join(self.zero(part) for _, _, part in parts) + "]"
        return {"bool": "False", "float": "0.0"}.get(kind, "0")

    def declare(self, kind, name):
        if kind.endswith("]"):
            part, _, count = kind[:-1].rpartition("[")
            return f"{part} {name}[{count}]"
        return f"{kind} {name}"

    def pick_kind(self):
        roll = self.random.randrange(100)
        if roll < 62:
            return self.random.choice(self.kinds)
        if roll < 76:
            return self.random.choice(sorted(VECTORS))
        if roll < 82:
            return "bool"
        if roll < 90:
            return f"{self.random.choice(self.kinds)}[{self.random.choice([2, 4, 8])}]"
        if self.structs:
            return self.random.choice(sorted(self.structs))
        return "uint"

    # - Expressions -

    def places(self, wanted):
        """Variables or parts that hold the kind: (GLSL, Python), with a dynamic index for arrays."""
        found = []

        def look(glsl, python, kind, depth):
            if kind == wanted:
                found.append((glsl, python))
            if depth > 2:
                return
            parts = self.fields(kind)
            if parts and (kind.endswith("]") or (kind in VECTORS and self.chance(30))) and len(parts) & len(parts) - 1 == 0:
                index = self.random.choice(self.index_names) if self.index_names else None
                if index:
                    at = f"[{index} & {len(parts) - 1}u]"
                    look(glsl + at, python + at.replace("u]", "]").replace("[0u", "[0"), parts[0][2], depth + 1)
            if parts:
                accessor = self.random.choice(parts)
                look(glsl + accessor[0], python + accessor[1], accessor[2], depth + 1)

        for scope in self.scopes + [members for _, _, members in self.blocks]:
            for name, kind in scope:
                look(name, name, kind, 0)
        return found

    @property
    def index_names(self):
        return [name for scope in self.scopes for name, kind in scope if kind == "uint"] or ["0u"]

    def literal(self, kind):
        if kind == "bool":
            value = self.chance(50)
            return Value(kind, str(value).lower(), str(value))
        if kind == "float":
            value = self.random.randrange(64)
            return Value(kind, f"{value}.0", f"{value}.0")
        bits, signed = INTEGERS[kind]
        edges = [0, 1, 2, 3, 7, 255, 1 << bits - 1, (1 << bits) - 1, 0x55, self.random.getrandbits(bits)]
        value = wrap(kind, self.random.choice(edges))
        if kind == "uint":
            return Value(kind, f"{value}u", str(value))
        if kind == "int":
            return Value(kind, f"int({value & 0xFFFFFFFF}u)", f"({value})")
        # glslang folds constants of these types incorrectly; `zero` is a variable, so it does not fold.
        if bits == 64:
            return Value(kind, f"{kind}({value & (1 << 64) - 1}ul + uint64_t(zero))", f"({value})")
        return Value(kind, f"{kind}({value & 0xFFFFFFFF}u + zero)", f"({value})")

    def expression(self, kind, depth=3):
        places = self.places(kind)
        if places and (depth <= 0 or self.chance(30)):
            glsl, python = self.random.choice(places)
            return Value(kind, glsl, python)
        if kind in VECTORS:
            return self.vector(kind, depth)
        if self.fields(kind):
            return self.aggregate(kind)
        if depth <= 0:
            return self.literal(kind)
        if kind == "bool":
            return self.boolean(depth)
        if kind == "float":
            return self.float(depth)
        return self.integer(kind, depth)

    def aggregate(self, kind):
        parts = [self.expression(part, 1) for _, _, part in self.fields(kind)]
        constructor = kind
        if kind.endswith("]"):
            constructor = kind.rpartition("[")[0] + "[]"
        return Value(kind, f"{constructor}({', '.join(part.glsl for part in parts)})",
                     "[" + ", ".join(f"copy({part.python})" for part in parts) + "]")

    def vector(self, kind, depth):
        scalar, count = VECTORS[kind]
        roll = self.random.randrange(4)
        if roll == 0 or depth <= 0:
            parts = [self.expression(scalar, depth - 1) for _ in range(count)]
            return Value(kind, f"{kind}({', '.join(part.glsl for part in parts)})", "[" + ", ".join(part.python for part in parts) + "]")
        if roll == 1:  # a swizzle
            source = self.random.choice([name for name in VECTORS if VECTORS[name][0] == scalar])
            whole = self.expression(source, depth - 1)
            lanes = [self.random.randrange(VECTORS[source][1]) for _ in range(count)]
            letters = "".join("xyzw"[lane] for lane in lanes)
            return Value(kind, f"({whole.glsl}).{letters}", f"(lambda v: [{', '.join(f'v[{lane}]' for lane in lanes)}])({whole.python})")
        if roll == 2:  # a conditional expression
            condition = self.expression("bool", depth - 1)
            a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            return Value(kind, f"({condition.glsl} ? {a.glsl} : {b.glsl})", f"({a.python} if {condition.python} else {b.python})")
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        operator = self.random.choice(["+", "-", "*", "&", "|", "^"])
        return Value(kind, f"({a.glsl} {operator} {b.glsl})",
                     f"[wrap('{scalar}', x {operator} y) for x, y in zip({a.python}, {b.python})]")

    def boolean(self, depth):
        roll = self.random.randrange(5)
        if roll == 0:
            a = self.expression("bool", depth - 1)
            return Value("bool", f"(!{a.glsl})", f"(not {a.python})")
        if roll == 1:
            a, b = self.expression("bool", depth - 1), self.expression("bool", depth - 1)
            glsl, python = self.random.choice([("&&", "and"), ("||", "or"), ("^^", "!=")])
            return Value("bool", f"({a.glsl} {glsl} {b.glsl})", f"({a.python} {python} {b.python})")
        if roll == 2 and self.chance(40):
            a, b = self.expression("float", depth - 1), self.expression("float", depth - 1)
        else:
            kind = self.random.choice(self.kinds)
            a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        operator = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        return Value("bool", f"({a.glsl} {operator} {b.glsl})", f"({a.python} {operator} {b.python})")

    def float(self, depth):
        """Integers that are always below 2^23: products of numbers below 2^10, and sums of two of these."""
        def small():
            part = self.expression("uint", depth - 1)
            return f"float({part.glsl} & 0x3ffu)", f"float({part.python} & 0x3ff)"

        a, b, c = small(), small(), small()
        form = self.random.choice(["({} + {})", "({} * {})", "({} * {} + {})", "max({}, {})", "abs({} - {})", "fma({}, {}, {})",
                                   "floor({} * 0.25 + {})", "mod({}, 16.0)", "clamp({}, 3.0, 500.0)"])
        python = form.replace("fma({}, {}, {})", "({} * {} + {})").replace("floor(", "math.floor(").replace("mod({}, 16.0)", "({} % 16.0)")
        python = python.replace("clamp({}, 3.0, 500.0)", "min(max({}, 3.0), 500.0)")
        return Value("float", form.format(a[0], b[0], c[0]), f"float({python.format(a[1], b[1], c[1])})")

    def integer(self, kind, depth):
        bits, signed = INTEGERS[kind]
        roll = self.random.randrange(100)

        def part(of=kind):
            return self.expression(of, depth - 1)

        if roll < 8:
            return self.literal(kind)
        if roll < 45:
            a, b = part(), part()
            operator = self.random.choice(["+", "-", "*", "&", "|", "^", "+", "-"])
            return Value(kind, f"{kind}({a.glsl} {operator} {b.glsl})", f"wrap('{kind}', {a.python} {operator} {b.python})")
        if roll < 57:
            a, b = part(), self.expression("uint", depth - 2)
            operator = self.random.choice(["<<", ">>"])
            return Value(kind, f"{kind}({a.glsl} {operator} ({b.glsl} & {bits - 1}u))",
                         f"wrap('{kind}', {a.python} {operator} ({b.python} & {bits - 1}))")
        if roll < 65:  # the divisor is never 0, and no quotient is out of range; operands of % are not negative
            a, b = part(), part()
            divisor = 1 + self.random.randrange(100)
            operator = self.random.choice(["/", "%"])
            small = f"{kind}({divisor})" if self.chance(40) else f"{kind}({kind}({b.glsl} & {kind}(63)) + {kind}(1))"
            small_python = str(divisor) if small == f"{kind}({divisor})" else f"(({b.python} & 63) + 1)"
            if operator == "%":
                most = (1 << bits - 1) - 1
                mask = f"{kind}({most}{'ul' if bits == 64 else 'u'})"
                return Value(kind, f"{kind}(({a.glsl} & {mask}) % {small})", f"wrap('{kind}', ({a.python} & {most}) % {small_python})")
            return Value(kind, f"{kind}({a.glsl} / {small})", f"wrap('{kind}', divide({a.python}, {small_python}))")
        if roll < 75:
            other = self.random.choice(sorted(INTEGERS))
            a = part(other)
            return Value(kind, f"{kind}({a.glsl})", f"wrap('{kind}', {a.python})")
        if roll < 80:
            a = self.expression("float", depth - 1)
            return Value(kind, f"{kind}(uint({a.glsl}))", f"wrap('{kind}', int({a.python}))")
        if roll < 88:
            condition, a, b = self.expression("bool", depth - 1), part(), part()
            return Value(kind, f"({condition.glsl} ? {a.glsl} : {b.glsl})", f"({a.python} if {condition.python} else {b.python})")
        if roll < 92:
            a = part()
            operator = self.random.choice(["~", "-"])
            return Value(kind, f"{kind}({operator}{a.glsl})", f"wrap('{kind}', {operator}{a.python})")
        if bits == 32:
            return self.function_of_word(kind, depth)
        a, b = part(), part()
        function = self.random.choice(["min", "max"])
        # glslang does not always declare what min needs for the smaller types.
        wide = kind if bits == 64 else "int"
        return Value(kind, f"{kind}({function}({wide}({a.glsl}), {wide}({b.glsl})))", f"{function}({a.python}, {b.python})")

    def function_of_word(self, kind, depth):
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        at, count = self.random.randrange(32), self.random.randrange(33)
        count = min(count, 32 - at)
        choice = self.random.randrange(8)
        if choice == 0:
            return Value(kind, f"{kind}(bitCount({a.glsl}))", f"(({a.python}) & 0xFFFFFFFF).bit_count()")
        if choice == 1:
            return Value(kind, f"bitfieldReverse({a.glsl})", f"wrap('{kind}', reverse_bits({a.python}))")
        if choice == 2:
            return Value(kind, f"{kind}(findMSB({a.glsl}))", f"wrap('{kind}', find_msb({a.python}))")
        if choice == 3:
            return Value(kind, f"{kind}(findLSB({a.glsl}))", f"wrap('{kind}', find_lsb({a.python}))")
        if choice == 4:
            mask = (1 << count) - 1
            python = f"({a.python} >> {at} & {mask})"
            if kind == "int" and count:
                python = f"(({python} ^ {1 << count - 1}) - {1 << count - 1})"
            return Value(kind, f"bitfieldExtract({a.glsl}, {at}, {count})", python)
        if choice == 5:
            mask = (1 << count) - 1 << at
            return Value(kind, f"bitfieldInsert({a.glsl}, {b.glsl}, {at}, {count})",
                         f"wrap('{kind}', {a.python} & ~{mask} | {b.python} << {at} & {mask})")
        if choice == 6 and kind == "int":
            return Value(kind, f"abs({a.glsl})", f"wrap('int', abs({a.python}))")
        low, high = sorted([self.random.randrange(200), self.random.randrange(200)])
        suffix = "u" if kind == "uint" else ""
        return Value(kind, f"clamp({a.glsl}, {low}{suffix}, {high}{suffix})", f"min(max({a.python}, {low}), {high})")

    # - Statements -

    def variable(self, kind=None):
        kind = kind or self.pick_kind()
        value = self.expression(kind)
        name = self.name("v")
        self.emit(f"{self.declare(kind, name)} = {value.glsl};", f"{name} = copy({value.python})")
        self.scopes[-1].append((name, kind))

    def assignment(self):
        scope = self.random.choice([scope for scope in self.scopes if scope] or [[]])
        kinds = [kind for _, kind in scope]
        if not kinds:
            return self.variable()
        kind = self.random.choice(kinds)
        parts = self.fields(kind)
        if parts and self.chance(70):
            kind = self.random.choice(parts)[2]
        targets = [target for target in self.places(kind) if target[0][0] not in "ib"]
        if not targets:
            return self.variable()
        glsl, python = self.random.choice(targets)
        value = self.expression(kind)
        if kind in INTEGERS and self.chance(20):
            operator = self.random.choice(["+", "-", "^", "|", "*"])
            self.emit(f"{glsl} {operator}= {value.glsl};", f"{python} = wrap('{kind}', {python} {operator} ({value.python}))")
        elif kind in VECTORS and VECTORS[kind][1] > 2 and self.chance(30):
            lanes = self.random.sample(range(VECTORS[kind][1]), 2)
            pair = self.expression(kind[:-1] + "2")
            temporary = self.name("t")
            self.emit(f"{glsl}.{''.join('xyzw'[lane] for lane in lanes)} = {pair.glsl};", f"{temporary} = copy({pair.python})")
            for i, lane in enumerate(lanes):
                self.emit(None, f"{python}[{lane}] = {temporary}[{i}]")
        else:
            self.emit(f"{glsl} = {value.glsl};", f"{python} = copy({value.python})")

    def block(self, statements, depth):
        self.indent += 1
        self.scopes.append([])
        for _ in range(statements):
            self.statement(depth)
        self.emit(None, "pass")
        self.scopes.pop()
        self.indent -= 1

    def branch(self, depth):
        condition = self.expression("bool")
        self.emit(f"if ({condition.glsl}) {{", f"if {condition.python}:")
        self.block(1 + self.random.randrange(3), depth - 1)
        if self.chance(50):
            self.emit("} else {", "else:")
            self.block(1 + self.random.randrange(3), depth - 1)
        self.emit("}", None)

    def loop(self, depth):
        count = self.expression("uint", 1)
        most = self.random.choice([1, 3, 3, 7])
        index = self.name("i")
        form = self.random.randrange(3)
        if form == 0:
            self.emit(f"for (uint {index} = 0u; {index} < ({count.glsl} & {most}u); {index}++) {{", None)
            # The bound is evaluated in each iteration.
            self.emit(None, f"{index} = -1")
            self.emit(None, "while True:")
            self.emit(None, f"  {index} += 1")
            self.emit(None, f"  if not {index} < ({count.python} & {most}): break")
            self.loops.append("for")
        elif form == 1:
            condition = self.expression("bool")
            self.emit(f"uint {index} = 0u;", f"{index} = 0")
            self.emit(f"while ({index} < {most}u && {condition.glsl}) {{", f"while {index} < {most} and {condition.python}:")
            self.emit(f"  {index}++;", f"  {index} += 1")
            self.loops.append("for")
        else:
            self.emit(f"uint {index} = 0u;", f"{index} = 0")
            self.emit("do {", "while True:")
            self.emit(f"  {index}++;", f"  {index} += 1")
            self.loops.append("do")
        self.scopes.append([(index, "uint")])
        self.block(1 + self.random.randrange(4), depth - 1)
        self.loops.pop()
        self.scopes.pop()
        if form == 2:
            self.scopes.append([(index, "uint")])
            condition = self.expression("bool")
            self.scopes.pop()
            self.emit(f"}} while ({index} < {most}u && {condition.glsl});", None)
            self.emit(None, f"  if not ({index} < {most} and {condition.python}): break")
        else:
            self.emit("}", None)

    def switch(self, depth):
        selector = self.expression("uint", 2)
        chosen, falls = self.name("s"), self.name("f")
        self.emit(f"switch ({selector.glsl} & 7u) {{", f"{chosen}, {falls} = {selector.python} & 7, False")
        self.emit(None, "while True:")
        self.loops.append("switch")
        self.indent += 1
        for case in self.random.sample(range(8), 1 + self.random.randrange(4)) + ([None] if self.chance(60) else []):
            self.emit("default: {" if case is None else f"case {case}u: {{",
                      f"if True:" if case is None else f"if {falls} or {chosen} == {case}:")
            self.emit(None, f"  {falls} = True")
            self.block(1 + self.random.randrange(2), depth - 1)
            if self.chance(60):
                self.emit("  break;", "  break")
            self.emit("}", None)
        self.indent -= 1
        self.loops.pop()
        self.emit("}", "  break")

    def jump(self):
        loops = [kind for kind in self.loops]
        if not loops:
            return
        condition = self.expression("bool")
        words = ["break"]
        if loops[-1] == "for":
            words.append("continue")
        word = self.random.choice(words)
        self.emit(f"if ({condition.glsl}) {word};", f"if {condition.python}: {word}")

    def finish(self):
        """An early return from the current function."""
        condition = self.expression("bool")
        result, outs = self.in_function
        value = self.expression(result)
        self.emit(f"if ({condition.glsl}) return {value.glsl};", f"if {condition.python}: return ({', '.join([f'copy({value.python})'] + outs)},)")

    def call(self):
        if not self.functions:
            return self.variable()
        name, result, parameters = self.random.choice(self.functions)
        glsl, outs = [], []
        python = []
        for kind, mode in parameters:
            if mode == "in":
                value = self.expression(kind, 2)
                glsl.append(value.glsl)
                python.append(f"copy({value.python})")
                continue
            # A separate variable: if two parameters named the same one, the order of the writes would be undefined.
            variable = self.name("v")
            value = self.expression(kind, 2)
            self.emit(f"{self.declare(kind, variable)} = {value.glsl};", f"{variable} = copy({value.python})")
            self.scopes[-1].append((variable, kind))
            glsl.append(variable)
            python.append(f"copy({variable})" if mode == "inout" else self.zero(kind))
            outs.append(variable)
        target = self.name("v")
        self.emit(f"{self.declare(result, target)} = {name}({', '.join(glsl)});", f"{', '.join([target] + outs)}, = {name}({', '.join(python)})")
        self.scopes[-1].append((target, result))

    def statement(self, depth):
        roll = self.random.randrange(100)
        if depth <= 0 or roll < 25:
            self.assignment()
        elif roll < 42:
            self.variable()
        elif roll < 57:
            self.branch(depth)
        elif roll < 70:
            self.loop(depth)
        elif roll < 77:
            self.switch(depth)
        elif roll < 86:
            self.call()
        elif roll < 93:
            self.jump()
        elif self.in_function:
            self.finish()
        else:
            self.assignment()

    # - What the invocations of a workgroup do together -

    def exchange(self):
        value = self.expression("uint")
        other = self.name("v")
        step = 1 + self.random.randrange(self.workgroup - 1)
        self.emit(f"lane[gl_LocalInvocationIndex] = {value.glsl};", f"lane[local] = {value.python}")
        self.emit("barrier();", "yield None")
        at = f"(gl_LocalInvocationIndex + {step}u) % {self.workgroup}u"
        self.emit(f"uint {other} = lane[{at}];", f"{other} = lane[(local + {step}) % {self.workgroup}]")
        self.emit("barrier();", "yield None")
        self.scopes[-1].append((other, "uint"))

    def subgroup(self):
        value = self.expression("uint")
        result = self.name("v")
        operation, glsl = self.random.choice([
            ("sum", "subgroupAdd({})"), ("xor", "subgroupXor({})"), ("max", "subgroupMax({})"), ("before", "subgroupExclusiveAdd({})"),
            ("upto", "subgroupInclusiveAdd({})"), ("first", "subgroupBroadcastFirst({})"), ("ballot", "subgroupBallot(({} & 1u) != 0u).x"),
            ("all", "uint(subgroupAll(({} & 4u) != 0u))"), ("swap", "subgroupShuffleXor({}, 3u)"),
        ])
        self.emit(f"uint {result} = {glsl.format(value.glsl)};", f"{result} = yield ('{operation}', {value.python})")
        self.scopes[-1].append((result, "uint"))

    def atomic(self):
        value = self.expression("uint")
        at = self.random.randrange(8)
        glsl, python = self.random.choice([("atomicAdd", "wrap('uint', {} + {})"), ("atomicXor", "{} ^ {}"), ("atomicMax", "max({}, {})"), ("atomicOr", "{} | {}")])
        # One operation for each location: they only commute with themselves.
        at = ["atomicAdd", "atomicXor", "atomicMax", "atomicOr"].index(glsl) * 2 + at % 2
        place = f"counters[{at}]"
        self.emit(f"{glsl}({place}, {value.glsl});", f"{place} = {python.format(place, '(' + value.python + ')')}")

    def together(self):
        subgroup = self.subgroup if self.has_subgroups else self.exchange
        self.random.choice([self.exchange, self.exchange, subgroup, subgroup, self.atomic])()

    # - The whole -

    def function(self):
        name, result = self.name("fn"), self.random.choice(self.kinds + ["uvec3", "bool"])
        parameters = [(self.pick_kind(), self.random.choice(["in", "in", "inout", "out"])) for _ in range(1 + self.random.randrange(3))]
        names = [self.name("p") for _ in parameters]
        outs = [f"{n}" for n, (_, mode) in zip(names, parameters) if mode != "in"]
        declared = ", ".join(f"{mode} {self.declare(kind, n)}" for n, (kind, mode) in zip(names, parameters))
        self.emit(f"{result} {name}({declared}) {{", f"def {name}({', '.join(names)}):")
        self.scopes = [[]]
        self.indent += 1
        for n, (kind, mode) in zip(names, parameters):
            if mode == "out":
                value = self.expression(kind)
                self.emit(f"{n} = {value.glsl};", f"{n} = copy({value.python})")
            self.scopes[0].append((n, kind))
        self.in_function = (result, outs)
        for _ in range(2 + self.random.randrange(4)):
            self.statement(2)
        value = self.expression(result)
        self.emit(f"return {value.glsl};", f"return ({', '.join([f'copy({value.python})'] + outs)},)")
        self.in_function = None
        self.indent -= 1
        self.emit("}", None)
        self.functions.append((name, result, parameters))

    def plain_kind(self):
        """A kind that a block can contain."""
        while True:
            kind = self.pick_kind()
            if "bool" not in kind:
                return kind

    def declare_blocks(self):
        for block, is_std140 in (("Fixed", True), ("Data", False)):
            members = [(self.name("b"), self.plain_kind()) for _ in range(1 + self.random.randrange(4))]
            self.blocks.append((block, is_std140, members))
            words = f"layout(std140, set = 1, binding = 0) uniform {block}" if is_std140 else f"layout(std430, set = 1, binding = 1) readonly buffer {block}"
            self.emit(f"{words} {{ {' '.join(self.declare(kind, name) + ';' for name, kind in members)} }};", None)
        self.stored = self.plain_kind()
        self.emit(f"struct Stored {{ {self.declare(self.stored, 'all')}; uint last; }};", None)
        self.emit("layout(std430, set = 1, binding = 2) buffer Kept { Stored kept[]; };", None)

    def draw(self, kind):
        """A value for a block."""
        if kind in INTEGERS:
            return wrap(kind, self.random.choice([0, 1, 2, 5, -1, self.random.getrandbits(64)]))
        return [self.draw(part) for _, _, part in self.fields(kind)]

    def words_of(self, name, kind):
        """Everything in a variable, as words: [(GLSL, Python)]."""
        parts = self.fields(kind)
        if parts:
            return [word for glsl, python, part in parts for word in self.words_of((name[0] + glsl, name[1] + python), part)]
        if kind in ("uint64_t", "int64_t"):
            return [(f"uint({name[0]})", f"({name[1]} & 0xFFFFFFFF)"), (f"uint({name[0]} >> 32)", f"({name[1]} >> 32 & 0xFFFFFFFF)")]
        return [(f"uint({name[0]})", f"(int({name[1]}) & 0xFFFFFFFF)")]

    def write(self):
        for _ in range(self.random.randrange(3)):
            kinds = [self.random.choice(self.kinds + sorted(VECTORS)) for _ in range(1 + self.random.randrange(3))]
            if self.chance(40):
                kinds.append(f"{self.random.choice(self.kinds)}[4]")
            if self.structs and self.chance(30):
                kinds.append(self.random.choice(sorted(self.structs)))
            name = self.name("S")
            self.structs[name] = [(f"m{i}", kind) for i, kind in enumerate(kinds)]
            self.emit(f"struct {name} {{ {' '.join(self.declare(kind, field) + ';' for field, kind in self.structs[name])} }};", None)
        self.declare_blocks()
        for _ in range(self.random.randrange(4)):
            self.function()
        self.emit("void main() {", "def main(group, local, given, results, counters, lane, kept):")
        self.indent += 1
        self.emit(f"uint base = gl_GlobalInvocationID.x * {WORDS}u;", f"base = (group * {self.workgroup} + local) * {WORDS}")
        self.scopes = [[]]
        for k in range(WORDS):
            self.emit(f"uint v{k}x = given[base + {k}u];", f"v{k}x = given[base + {k}]")
            self.scopes[0].append((f"v{k}x", "uint"))
        for _ in range(4 + self.random.randrange(8)):
            if self.chance(25):
                self.together()
            elif self.chance(10):
                index = self.name("i")
                self.emit(f"for (uint {index} = 0u; {index} < 3u; {index}++) {{", f"for {index} in range(3):")
                self.indent += 1
                self.scopes.append([(index, "uint")])
                self.assignment()
                self.together()
                self.assignment()
                self.scopes.pop()
                self.indent -= 1
                self.emit("}", None)
            else:
                self.statement(3)
        value = self.expression(self.stored)
        self.emit(f"kept[gl_GlobalInvocationID.x].all = {value.glsl};", f"all_kept = copy({value.python})")
        parts = self.fields(self.stored)
        if self.stored.endswith("]"):
            part = self.expression(parts[0][2])
            self.emit(f"kept[gl_GlobalInvocationID.x].all[v0x & {len(parts) - 1}u] = {part.glsl};", f"all_kept[v0x & {len(parts) - 1}] = copy({part.python})")
        self.emit("kept[gl_GlobalInvocationID.x].last = v1x;", f"kept[group * {self.workgroup} + local] = [all_kept, v1x]")
        self.emit("uint h = 0u;", "h = 0")
        for name, kind in self.scopes[0] + [member for _, _, members in self.blocks for member in members]:
            for glsl, python in self.words_of((name, name), kind):
                self.emit(f"h = h * 31u + {glsl};", f"h = wrap('uint', h * 31 + {python})")
        for k in range(WORDS):
            self.emit(f"results[base + {k}u] = {'h' if k == 0 else f'v{k}x ^ h'};", f"results[base + {k}] = {'h' if k == 0 else f'v{k}x ^ h'}")
        self.emit(None, "yield 'end'")
        self.indent -= 1
        self.emit("}", None)
        glsl = HEADER + f"""layout(local_size_x = {self.workgroup}) in;
layout(std430, set = 0, binding = 0) readonly buffer Given {{ uint given[]; }};
layout(std430, set = 0, binding = 1) buffer Results {{ uint results[]; }};
layout(std430, set = 0, binding = 2) buffer Counters {{ uint counters[]; }};
shared uint lane[{self.workgroup}];
uint zero = 0u;
"""
        return glsl + "\n".join(self.glsl) + "\n", "import math\n" + "\n".join(self.python) + "\n"
