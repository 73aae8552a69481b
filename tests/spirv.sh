#!/usr/bin/env bash
# Shaders in GLSL and in SPIR-V assembly, compiled to modules by glslang and SPIRV-Tools: the former must have the
# results in their comments, the latter must be refused with the errors in theirs. Then mutations of all of them, which
# must give valid modules or errors.
#   spirv.sh NORN DIRECTORY MUTATE_SPIRV COUNT; exit status 77 (skipped) if a tool is missing
set -u
norn=$(realpath "$1")
mutate=$(realpath "$3")
count=$4
cd "$2" || exit 1
for tool in glslangValidator spirv-as; do
  command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failed=$((failed + 1))
}

# Shaders that run, unoptimized and optimized, in the interpreter and the simulator.
for source in *.comp *.vert *.frag; do
  module=$folder/$source.spv
  read -ra options <<<"$(sed -n 's/^; options: //p' "$source")"
  environment=$(sed -n 's/^; environment: //p' "$source")
  glslangValidator --target-env "${environment:-vulkan1.1}" -g "$source" -o "$module" >"$folder/log.txt" || { cat "$folder/log.txt"; fail "$source"; continue; }
  for level in 0 1 2 3; do
    "$norn" run -q --engine both -O$level "${options[@]}" "$module" --runs "$source" && passed=$((passed + 1)) || fail "$source -O$level"
  done
  # Both engines get code without contraction.
  "$norn" run -q --engine simulator "${options[@]}" "$module" --runs "$source" && passed=$((passed + 1)) || fail "$source, contracted"
  "$norn" run -q --engine both --random-resources 7 --tolerance 0.001 "${options[@]}" "$module" && passed=$((passed + 1)) || fail "$source on random resources"
  "$norn" opt "${options[@]}" "$module" -o "$folder/first.norn" && "$norn" opt "$folder/first.norn" -o "$folder/second.norn" &&
    cmp "$folder/first.norn" "$folder/second.norn" || fail "$source: the module does not come back from its text"
done

# Sizes of images from uniform words: the values are the same, and no descriptor is read.
echo '{ "image_sizes": "words" }' >"$folder/words.json"
for source in images.comp cube_sizes.comp cube_gradients.comp; do
  "$norn" run -q --engine both --abi="$folder/words.json" "$folder/$source.spv" --runs "$source" && passed=$((passed + 1)) || fail "$source with sizes in words"
  "$norn" opt --image-words "$folder/$source.spv" | grep -qE '(tex|image)_(size|levels|samples)' && fail "$source reads descriptors with --image-words"
done

# Conversions of floats to narrow integers have no limits: what does not fit is undefined.
limits=$("$norn" compile --emit asm "$folder/narrow_integers.comp.spv" | grep -c CSEL)
[ "$limits" = 0 ] && passed=$((passed + 1)) || fail "narrow_integers.comp has $limits selections"

# Random resources have prefixes, so that buffers may have the names of settings.
printf '%s\n' '#version 450' 'layout(local_size_x = 1) in;' 'layout(binding = 0) buffer G { uint x[]; } grid;' \
  'void main() { grid.x[gl_GlobalInvocationID.x] += 1; }' >"$folder/names.comp"
glslangValidator --target-env vulkan1.1 -g "$folder/names.comp" -o "$folder/names.spv" >/dev/null &&
  "$norn" run -q --engine both --buffer-addresses --random-resources 3 "$folder/names.spv" && passed=$((passed + 1)) || fail "a buffer with the name grid"

# Relaxed precision: pairs of 16-bit floats, converted only at the ends.
pairs=$("$norn" compile --relaxed-half --emit asm "$folder/relaxed.frag.spv" | grep -c 'v2f16')
[ "$pairs" = 13 ] && passed=$((passed + 1)) || fail "relaxed.frag has $pairs operations on pairs, not 13"

# Varyings of medium precision: rounded when they are interpolated, unless the option says otherwise.
halves=$("$norn" compile --emit asm "$folder/mediump.frag.spv" | grep -cE '^LD_VAR_BUF_IMM.f16|^BLEND.*f16')
full=$("$norn" run -q --engine both --full-varyings "$folder/mediump.frag.spv" --runs mediump.frag 2>&1)
[ "$halves" = 3 ] && [[ $full == *'is f32[2049], but should be f32[2048]'* ]] && passed=$((passed + 1)) || fail "mediump.frag has $halves messages of halves, not 3; with --full-varyings: $full"

# One power has no short form; no division by a root remains, only its reciprocal; constants and quotients are merged into sums.
"$norn" compile --emit asm "$folder/short_forms.comp.spv" >"$folder/log.txt"
logarithms=$(grep -c FLOGD "$folder/log.txt")
quotients=$(grep -c FRCP "$folder/log.txt")
sums=$(grep -cE '^(FADD|FMA)\.' "$folder/log.txt")
[ "$logarithms $quotients" = "1 3" ] && [ "$sums" -le 52 ] && passed=$((passed + 1)) || fail "short_forms.comp has $logarithms logarithms, $quotients reciprocals and $sums sums, not 1, 3 and at most 52"

# NaN and infinities: kept where the code is precise, and everywhere if the entry point requests it.
spirv-dis "$folder/finite.comp.spv" | sed '/OpCapability Shader/s/$/\nOpCapability SignedZeroInfNanPreserve\nOpExtension "SPV_KHR_float_controls"/;
  s/^ *OpExecutionMode %main LocalSize.*$/&\nOpExecutionMode %main SignedZeroInfNanPreserve 32/' >"$folder/preserves.spvasm"
spirv-as --target-env spv1.3 "$folder/preserves.spvasm" -o "$folder/preserves.spv"
computed=$(for module in finite.comp.spv preserves.spv; do "$norn" compile --emit asm "$folder/$module" | grep -cE '^(FMA|FADD)'; done)
[ "$computed" = $'1\n2' ] && passed=$((passed + 1)) || fail "finite.comp: ${computed//$'\n'/, and if they are preserved }, not 1 and 2"

# A vector is multiplied by two matrices; not if the position must be bitwise the same as another shader's.
glslangValidator --target-env vulkan1.1 -DINVARIANT matrices.vert -o "$folder/invariant.vert.spv" >"$folder/log.txt"
products=$(for module in matrices.vert.spv invariant.vert.spv; do "$norn" compile --emit asm "$folder/$module" | grep -cE '^FMA'; done)
[ "$products" = $'24\n76' ] && passed=$((passed + 1)) || fail "matrices.vert has ${products//$'\n'/, and if it is invariant } products, not 24 and 76"

# Both programs of a vertex shader are checked; errors without a known line have the name of the file.
checked=$("$norn" check "$folder/transform.vert.spv" | sed -E "s|^$folder/||; s/: [0-9]+ instr.*//")
[ "$checked" = $'transform.vert.spv position\ntransform.vert.spv varyings' ] && passed=$((passed + 1)) || fail "norn check of transform.vert.spv: $checked"
glslangValidator --target-env vulkan1.1 transform.vert -o "$folder/lineless.vert.spv" >"$folder/log.txt"
refused=$("$norn" compile --vertex-part=whole "$folder/lineless.vert.spv" 2>&1)
[[ $refused == "error: $folder/lineless.vert.spv: @main, block "*"separate programs"* ]] && passed=$((passed + 1)) || fail "lineless.vert.spv: $refused"

# Lines are those of the first source file; what comes from another one has none.
cat >"$folder/two_files.spvasm" <<'END'
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpString "blur.comp"
%3 = OpString "weights.h"
OpDecorate %4 DescriptorSet 0
OpDecorate %4 Binding 0
OpDecorate %5 Block
OpMemberDecorate %5 0 Offset 0
%6 = OpTypeVoid
%7 = OpTypeFunction %6
%8 = OpTypeInt 32 0
%9 = OpConstant %8 0
%5 = OpTypeStruct %8
%10 = OpTypePointer StorageBuffer %5
%11 = OpTypePointer StorageBuffer %8
%4 = OpVariable %10 StorageBuffer
%1 = OpFunction %6 None %7
%12 = OpLabel
OpLine %2 7 1
%13 = OpAccessChain %11 %4 %9
OpStore %13 %9
OpLine %3 9 1
OpStore %13 %9
OpReturn
OpFunctionEnd
END
spirv-as --target-env spv1.3 "$folder/two_files.spvasm" -o "$folder/two_files.spv"
steps=$("$norn" run --engine interpreter --trace=0 --random-resources 1 "$folder/two_files.spv" | sed -n 's/^.* lanes 0\(.*\): store.*/\1/p')
[ "$steps" = ', blur.comp:7' ] && passed=$((passed + 1)) || fail "two_files.spv is traced at $steps"

# Marks of loops.
marks=$("$norn" opt "$folder/loop_control.comp.spv" | sed -n 's/^ *loop_entry //p')
[ "$marks" = $'0, unroll:never\n0, iterations:100, unroll:always\n0, iterations:6' ] && passed=$((passed + 1)) || fail "loop_control.comp has the marks ${marks//$'\n'/; }"

# Two tables, and two arrays that are not tables.
arrays=$("$norn" opt "$folder/tables.comp.spv" | grep -c 'alloca 16')
[ "$arrays" = 4 ] && passed=$((passed + 1)) || fail "tables.comp has $arrays arrays, not 4"

# Volatile accesses: each one is executed.
accesses=$("$norn" compile --buffer-addresses --emit asm "$folder/volatile.comp.spv" | grep -cE '^(LOAD|STORE)')
[ "$accesses" = 6 ] && passed=$((passed + 1)) || fail "volatile.comp has $accesses accesses, not 6"

# Indices of arrays in workgroup memory are within bounds by default.
near=$(for options in "" --abi=clamped.json; do "$norn" opt $options "$folder/shared.comp.spv" | grep -c 'shl.i32 nowrap'; done)
[ "$near" = $'3\n0' ] && passed=$((passed + 1)) || fail "shared.comp has ${near//$'\n'/, and if they are clamped } indexes that are near, not 3 and 0"

# Accesses to storage buffers by handle are coarse, unless the interface asks for exact bounds.
echo '{ "robustness": "zero" }' >"$folder/zero.json"
coarse=$(for options in "" --abi="$folder/zero.json"; do "$norn" opt $options "$folder/saxpy.comp.spv" | grep -c 'buffer.* coarse '; done)
[ "$coarse" = $'3\n0' ] && passed=$((passed + 1)) || fail "saxpy.comp has ${coarse//$'\n'/, and with zeros outside } accesses that are coarse, not 3 and 0"

# Which buffers do not alias: not those that share a binding, which are one buffer, nor one that may be another.
spirv-dis "$folder/shared_binding.comp.spv" | sed 's/^ *OpDecorate %__2 Binding 2$/&\nOpDecorate %__2 Aliased/' >"$folder/aliased.spvasm"
grep -q Aliased "$folder/aliased.spvasm" || fail "shared_binding.comp has no variable to decorate"
spirv-as --target-env spv1.3 "$folder/aliased.spvasm" -o "$folder/aliased.spv"
for module in shared_binding.comp.spv aliased.spv; do
  "$norn" opt --buffer-addresses "$folder/$module" | grep -oE '[A-D]: i64 @ [0-9]+( noalias)?' | tr '\n' ';'
done >"$folder/log.txt"
expected='A: i64 @ 0;C: i64 @ 2 noalias;D: i64 @ 4 noalias;A: i64 @ 0;C: i64 @ 2 noalias;D: i64 @ 4;'
[ "$(cat "$folder/log.txt")" = "$expected" ] && passed=$((passed + 1)) || fail "noalias: $(cat "$folder/log.txt")"

# Row-major matrices: four rows of three and two columns are loaded, three rows stored; for a column, each component.
"$norn" opt "$folder/matrix_rows.comp.spv" >"$folder/log.txt"
rows=$(grep -cE 'load\.constant\.w3|store\.buffer\.w3' "$folder/log.txt")
components=$(grep -c 'load\.constant\.f32' "$folder/log.txt")
[ "$rows $components" = '9 4' ] && passed=$((passed + 1)) || fail "matrix_rows.comp has $rows accesses to rows and columns and $components to components, not 9 and 4"

# Arrays in workgroup memory that are indexed together are interleaved, three elements at a time; not if pointers are values.
spirv-dis "$folder/shared_arrays.comp.spv" | sed 's/OpCapability Shader/&\nOpCapability VariablePointers/' >"$folder/pointers.spvasm"
spirv-as --target-env spv1.3 "$folder/pointers.spvasm" -o "$folder/pointers.spv"
strides=$(for module in shared_arrays.comp.spv pointers.spv; do "$norn" opt "$folder/$module" | grep -E 'imul\.i32 %[0-9]+, 12$|shl\.i32 nowrap' | grep -oE 'imul|shl' | sort | uniq -c; done | tr -s ' \n' ' ')
messages=$("$norn" compile --buffer-addresses --emit asm "$folder/shared_arrays.comp.spv" | grep -cE '^(LOAD|STORE)\.i96')
[ "$strides, $messages" = ' 6 imul 6 shl 12 shl , 3' ] && passed=$((passed + 1)) || fail "shared_arrays.comp has the strides$strides and $messages messages of three words"

# Bytes and halves in memory: by address, with word accesses if they fill words; vectors of bytes also in buffers of a table.
"$norn" run -q --engine both --buffer-addresses "$folder/bytes.comp.spv" --runs bytes.comp && passed=$((passed + 1)) || fail "bytes.comp by address"
messages=$("$norn" compile --buffer-addresses --emit asm "$folder/bytes.comp.spv" | grep -oE '^(LOAD|STORE)\.i[0-9]+' | sort | uniq -c | tr -s ' \n' ' ')
expected=' 4 LOAD.i16 1 LOAD.i32 2 LOAD.i64 4 LOAD.i8 2 STORE.i16 1 STORE.i32 2 STORE.i64 3 STORE.i8 1 STORE.i96 '
[ "$messages" = "$expected" ] && passed=$((passed + 1)) || fail "bytes.comp by address has the messages$messages"
vectors=$("$norn" opt "$folder/bytes.comp.spv" | grep -c 'load\.buffer\.i32')
[ "$vectors" = 2 ] && passed=$((passed + 1)) || fail "bytes.comp loads $vectors words of buffers of a table, not 2"

# A module's tests are in a separate file; they must be able to fail.
printf '; test: run -q --engine both --random-resources 1 --tolerance 0.001\n; test fails: opt --entry=other\n' >"$folder/saxpy.comp.spv.test"
"$norn" test --bless "$folder/saxpy.comp.spv" >/dev/null && "$norn" test "$folder/saxpy.comp.spv.test" >/dev/null &&
  grep -q 'unknown entry point .other.' "$folder/saxpy.comp.spv.test" && passed=$((passed + 1)) || fail "norn test of a module"
sed -i 's/point .other./point another/' "$folder/saxpy.comp.spv.test"
"$norn" test "$folder/saxpy.comp.spv.test" >/dev/null && fail "norn test of a module passes what is wrong" || passed=$((passed + 1))

# An invalid interface file.
while IFS='|' read -r text pattern; do
  printf '%s' "$text" >"$folder/abi.json"
  "$norn" opt --abi="$folder/abi.json" "$folder/saxpy.comp.spv" >/dev/null 2>"$folder/log.txt"
  [ $? -ne 0 ] && grep -qF -- "$pattern" "$folder/log.txt" && passed=$((passed + 1)) || { fail "--abi with $text"; cat "$folder/log.txt"; }
done <<'END'
{"resource_table": 300}|'resource_table': expected a number from 0 to 255
{"tables": 1}|'tables': expected one of the members
{"robustness": "all"}|'robustness': expected one of unchecked, clamped, zero
{"places": [{"set": 1}]}|'places': expected objects with a set and a binding
{"places": 1}|'places': expected a list of objects
[]|expected an object
{"push_constant_word": 1}|push constants must begin at an even uniform word
{"places": [{"set": 0, "binding": 0, "word": 0}]}|push constants overlap the uniform word 0 of set 0, binding 0
END

# refused SOURCE PATTERN VERB...: the verb must fail, with an error like the pattern.
refused() {
  local source=$1 pattern=$2
  shift 2
  "$norn" "$@" >/dev/null 2>"$folder/log.txt"
  local status=$?
  if [ $status -eq 1 ] && grep -qE -- "$pattern" "$folder/log.txt"; then
    passed=$((passed + 1))
  else
    fail "$source: exit status $status, no error like $pattern"
    head -3 "$folder/log.txt"
  fi
}

# Refused shaders: `; error: PATTERN` is a line of the message; `; options: ...` are passed to the command.
for source in *.spvasm; do
  module=$folder/$source.spv
  environment=$(sed -n 's/^; environment: //p' "$source")
  spirv-as --preserve-numeric-ids --target-env "${environment:-spv1.3}" "$source" -o "$module" || { fail "$source"; continue; }
  pattern=$(sed -n 's/^; error: //p' "$source")
  read -ra options <<<"$(sed -n 's/^; options: //p' "$source")"
  if [ -n "$pattern" ]; then
    refused "$source" "$pattern" opt "${options[@]}" "$module"
  else
    for level in 0 2; do
      "$norn" run -q --engine both -O$level "${options[@]}" "$module" --runs "$source" && passed=$((passed + 1)) || fail "$source -O$level"
    done
  fi
done

# Entry points of the same name in several stages.
cat >"$folder/same.spvasm" <<'END'
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %first "main" %position
OpEntryPoint GLCompute %second "main"
OpExecutionMode %second LocalSize 1 1 1
OpDecorate %position BuiltIn Position
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vector = OpTypeVector %float 4
%pointer = OpTypePointer Output %vector
%position = OpVariable %pointer Output
%zero = OpConstantNull %vector
%first = OpFunction %void None %function
%first_block = OpLabel
OpStore %position %zero
OpReturn
OpFunctionEnd
%second = OpFunction %void None %function
%second_block = OpLabel
OpReturn
OpFunctionEnd
END
spirv-as --target-env spv1.3 "$folder/same.spvasm" -o "$folder/same.spv" || fail "same.spvasm"
refused same.spv 'several entry points: vertex:main, compute:main; choose one' opt "$folder/same.spv"
for stage in vertex compute; do
  "$norn" opt --entry=$stage:main "$folder/same.spv" | grep -q "^shader $stage @main" && passed=$((passed + 1)) || fail "same.spv: $stage:main"
done

# Options that do not apply to the module, or to text; `stats`, which accepts folders with both, accepts them.
while IFS='|' read -r options expected; do
  read -ra given <<<"$options"
  said=$("$norn" opt "${given[@]}" 2>&1)
  [ $? -eq 1 ] && [ "$said" = "error: $expected" ] && passed=$((passed + 1)) || fail "norn opt $options: $said"
done <<END
-O2 $folder/specialized.spvasm.spv|$folder/specialized.spvasm.spv: word 15: OpEntryPoint GLCompute %1 "second": several entry points: first, second; choose one with the option entry
--entry=nosuch $folder/specialized.spvasm.spv|$folder/specialized.spvasm.spv: unknown entry point 'nosuch', expected one of first, second
--spec=0=5 --spec=99=3 --entry=second $folder/specialized.spvasm.spv|$folder/specialized.spvasm.spv: --spec: no constant has the SpecId 99, expected one of 0, 1, 2
--spec=0=1 $folder/saxpy.comp.spv|$folder/saxpy.comp.spv: --spec: no constant has the SpecId 0
END
cp ../../examples/saxpy.norn "$folder"
# A long name of a source file does not make a message long.
long=$(printf '%100000s' '' | tr ' ' n)
sed "s/\"a.frag\"/\"$long\"/" instruction.spvasm >"$folder/long.spvasm"
spirv-as --preserve-numeric-ids --target-env spv1.3 "$folder/long.spvasm" -o "$folder/long.module" && "$norn" opt --no-verify "$folder/long.module" 2>"$folder/err.txt"
grep -q 'nnn\.\.\.nnn.* line 12)$' "$folder/err.txt" && [ "$(wc -c <"$folder/err.txt")" -lt 1000 ] && passed=$((passed + 1)) ||
  fail "a long name of a file: $(cut -c 1-200 "$folder/err.txt")"

"$norn" stats --entry=main --buffer-addresses "$folder/saxpy.comp.spv" "$folder/saxpy.norn" >/dev/null && passed=$((passed + 1)) || fail "norn stats of a module and text"
"$norn" stats --spec=0=1 --entry=second "$folder/specialized.spvasm.spv" "$folder/saxpy.norn" >/dev/null && passed=$((passed + 1)) || fail "norn stats of a module with the constant and text"
refused "norn stats: a constant that the module has not" 'error: .*/specialized.spvasm.spv: --spec: no constant has the SpecId 99, expected one of 0, 1, 2$' \
  stats --spec=0=1 --spec=99=3 --entry=second "$folder/specialized.spvasm.spv" "$folder/saxpy.norn"
refused "norn stats: a constant that no module has" 'error: the modules: --spec: no constant has the SpecId 99, expected one of 0, 1, 2$' \
  stats --spec=99=3 --entry=second "$folder/specialized.spvasm.spv" "$folder/specialized.spvasm.spv"

# A SpecId in a decoration group; one that constants of two types have.
sed 's/OpDecorate %20 SpecId 0/OpDecorate %50 SpecId 0\n%50 = OpDecorationGroup\nOpGroupDecorate %50 %20/' specialized.spvasm >"$folder/grouped.spvasm"
sed 's/SpecId 2/SpecId 0/' specialized.spvasm >"$folder/two_types.spvasm"
for name in grouped two_types; do
  spirv-as --preserve-numeric-ids --target-env spv1.3 "$folder/$name.spvasm" -o "$folder/$name.module" || fail "$name.spvasm"
done
"$norn" run -q --engine both --spec=0=5 --spec=1=true --spec=2=0.5 --entry=second "$folder/grouped.module" --runs specialized.spvasm && passed=$((passed + 1)) || fail "a group of decorations"
refused "a SpecId of two types" "--spec: '5' has different bits for another constant with the SpecId 0, which has type f32; expected bits such as 0x1$" \
  opt --spec=0=5 --entry=second "$folder/two_types.module"
"$norn" opt --spec=0=0x40000000 --entry=second "$folder/two_types.module" >/dev/null && passed=$((passed + 1)) || fail "bits of two types"

# refused_instruction INSTRUCTION PATTERN: the same for a module with the instruction, without validation.
refused_instruction() {
  cat >"$folder/short.spvasm" <<END_OF_MODULE
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%b2 = OpTypeVector %bool 2
%uint = OpTypeInt 32 0
%u2 = OpTypeVector %uint 2
%u4 = OpTypeVector %uint 4
%pair = OpTypeStruct %u4 %u2
%yes = OpConstantTrue %bool
%one = OpConstant %uint 1
%bools = OpConstantComposite %b2 %yes %yes
%two = OpConstantComposite %u2 %one %one
%four = OpConstantComposite %u4 %one %one %one %one
%main = OpFunction %void None %function
%entry = OpLabel
%result = $1
OpReturn
OpFunctionEnd
END_OF_MODULE
  spirv-as --target-env spv1.6 "$folder/short.spvasm" -o "$folder/short.module" || fail "$1"
  refused "$1" "$2" opt --no-verify "$folder/short.module"
}

# Operands with fewer components than the instruction needs.
while IFS='|' read -r instruction pattern; do
  refused_instruction "$instruction" "$pattern"
done <<'END'
OpSelect %u4 %bools %four %four|the condition has the wrong type
OpBitcast %u4 %two|the types do not have the same size
OpShiftLeftLogical %u4 %four %two|operand 4 is not an integer of the right size
OpUDot %uint %four %two|the operands are not integer vectors of the same size
OpIAddCarry %pair %four %four|the result is not a pair of integers
OpIAdd %u4 %four %two|has 2 scalars, expected 4
OpVectorShuffle %u4 %two %two 0 1 2 4|component 4 does not exist
OpCompositeInsert %u4 %two %four 3|the part does not have the object's type
END

# The text of the instruction in the message: masks and their operands, lists, names of operations; only its beginning if it is long.
while IFS=';' read -r instruction pattern; do
  refused_instruction "$instruction" ": %[0-9]+ = $pattern: "
done <<END
OpLoad %uint %one Volatile|Aligned 4;OpLoad %[0-9]+ %[0-9]+ Volatile\|Aligned 4
OpLoad %uint %one None;OpLoad %[0-9]+ %[0-9]+ None
OpCompositeExtract %uint %four 1 2 3;OpCompositeExtract %[0-9]+ %[0-9]+ 1 2 3
OpSpecConstantOp %uint IAdd %four %one;OpSpecConstantOp %[0-9]+ IAdd %[0-9]+ %[0-9]+
OpCompositeConstruct %two $(printf '%%four %.0s' {1..60});OpCompositeConstruct [ %0-9]* \.\.\.
END

# Modules that would occupy the validator for minutes are read without it: structures whose two members are the previous one, a
# chain of calls.
head='OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0'
main='%main = OpFunction %void None %function
%entry = OpLabel'
{
  printf '%s\n%%s0 = OpTypeStruct %%uint %%uint\n' "$head"
  for number in {1..60}; do echo "%s$number = OpTypeStruct %s$((number - 1)) %s$((number - 1))"; done
  printf '%%pointer = OpTypePointer Private %%s60\n%%variable = OpVariable %%pointer Private\n%s\nOpReturn\nOpFunctionEnd\n' "$main"
} >"$folder/structures.spvasm"
{
  printf '%s\n%%f0 = OpFunction %%void None %%function\n%%l0 = OpLabel\nOpReturn\nOpFunctionEnd\n' "$head"
  for number in {1..40000}; do
    printf '%%f%d = OpFunction %%void None %%function\n%%l%d = OpLabel\n%%c%d = OpFunctionCall %%void %%f%d\nOpReturn\nOpFunctionEnd\n' \
      "$number" "$number" "$number" $((number - 1))
  done
  printf '%s\nOpReturn\nOpFunctionEnd\n' "$main"
} >"$folder/calls.spvasm"
for name in structures calls; do
  spirv-as --target-env spv1.3 "$folder/$name.spvasm" -o "$folder/$name.large"
  timeout 20 "$norn" opt "$folder/$name.large" >/dev/null && passed=$((passed + 1)) || fail "$name: it takes long, or is refused"
done

# Features that doc/spirv.md lists as unsupported, each with its instruction and, if known, its line: `refused: PATTERN`, or
# `refused by the target: PATTERN`, is the message.
for source in refused/*; do
  module=$folder/refused.spv
  case $source in
    *.spvasm) spirv-as --preserve-numeric-ids --target-env spv1.3 "$source" -o "$module" ;;
    *) (cd refused && glslangValidator --target-env vulkan1.2 -g "$(basename "$source")" -o "$module" >"$folder/log.txt") ;;
  esac || { cat "$folder/log.txt"; fail "$source"; continue; }
  pattern=$(sed -nE 's/^.*refused( by the target)?: (.*)$/\2/p' "$source" | sed 's, \*/$,,')
  verb=opt
  grep -q 'refused by the target' "$source" && verb=compile
  refused "$source" "$pattern" "$verb" --no-verify "$module"
done
rm -f "$folder/refused.spv"

# Truncated files.
for bytes in 4 8 19 21; do
  printf '\x03\x02\x23\x07%17s' | head -c $bytes >"$folder/cut"
  message='it is shorter than a header'
  [ $bytes -gt 20 ] && message='its size is not a multiple of 4 bytes'
  "$norn" compile "$folder/cut" -o "$folder/refused.out" 2>"$folder/log.txt"
  grep -qF "not SPIR-V: $message" "$folder/log.txt" && passed=$((passed + 1)) || { cat "$folder/log.txt"; fail "$bytes bytes: expected '$message'"; }
done

"$mutate" "$count" 1 "$folder"/*.spv || fail "mutations of $folder/*.spv"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 150 ]
