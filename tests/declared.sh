#!/usr/bin/env bash
# Runs shaders with values for their declared names, with pictures as input and output.
#   declared.sh NORN DIRECTORY; exit status 77 (skipped) if glslang is missing
set -u
norn=$(realpath "$1")
shaders=$(realpath "$2")
command -v glslangValidator >/dev/null || { echo "glslangValidator is missing"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0
failed=0

# expect NAME STATUS PATTERN ARGUMENTS...: a line of standard output or error must match.
expect() {
  local name=$1 status=$2 pattern=$3
  shift 3
  "$norn" run "$@" >out.txt 2>&1
  local got=$?
  if [ $got -eq "$status" ] && grep -qE -- "$pattern" out.txt; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s: exit status %s, no line like %s\n' "$name" "$got" "$pattern"
    head -c 1000 out.txt
  fi
}

for name in tint.comp square.vert tint.frag plane.vert plane.frag early.frag no_color.frag clip.vert clip.frag cover.comp shared.vert shared.comp sized.comp single.comp small.comp nowhere.comp count_named.comp color_named.frag constants.comp marks.vert marks.frag elements.vert elements.frag colors.frag attachments.frag sampled_attachment.frag by_sample.frag sample_input.frag count_samples.frag coordinates.frag scaled.frag instanced.vert instanced_triangle.vert; do
  glslangValidator -V --target-env vulkan1.1 "$shaders/$name" -o "$name.spv" >out.txt || { cat out.txt; exit 1; }
done

given=(src='image(rgba8unorm, 2x1)[(255, 0, 0, 255), (0, 51, 0, 255)]' src.sampler='sampler(filter:nearest)'
  more[1]='image(r32float, 1x1)[0.5]' dst='image(rgba8unorm, 2x1)' sum=u32[5] scale=0.5 tint='f32[1, 1, 0, 1]' words='i32[3, 4, 5]')
expect "compute" 0 '^dst=image\(rgba8unorm, 2x1\)\[\(128, 0, 64, 255\), \(0, 26, 64, 255\)\]$' tint.comp.spv --engine both grid=2 "${given[@]}"
expect "compute" 0 '^sum=u32\[18\]$' tint.comp.spv --engine both grid=2 "${given[@]}"
expect "addresses" 0 '^sum=u32\[18\]$' tint.comp.spv --buffer-addresses --engine both grid=2 "${given[@]}"
expect "an unknown name" 1 "no resource 'other'; it declares .*src \(texture\), src.sampler \(sampler\), .*scale \(push constant\)" tint.comp.spv "${given[@]}" other=1
expect "a wrong kind" 1 "'src' is a texture, expected a value such as image@FILE.png" tint.comp.spv src=f32[1]
expect "a location of two" 1 "'second' shares location 0 with 'first', expected one list with both and attribute0=LIST\(FORMAT\)" shared.vert.spv 'draw=vertices(1)' 'first=f32[1, 2]' 'second=f32[3, 4]'
expect "a part of a location" 1 "'second' begins at component 2 of location 0, expected a list of all components and attribute0=LIST\(FORMAT\)" shared.vert.spv 'draw=vertices(1)' 'second=f32[3, 4]'
expect "one list for both" 0 '^position=f32\[1, 2, 3, 4\]$' shared.vert.spv --engine both 'draw=vertices(1) attribute0=both(rgba32float) both=f32[1, 2, 3, 4]'
expect "one list for both at random" 0 '^position=f32\[-?[0-9.]+, ' shared.vert.spv --engine both --random-resources=3
expect "a binding of two" 1 "'Second' has the same binding as 'First', expected only one of them" shared.comp.spv 'First=u32[1, 2]' 'Second=u32[3, 4]'
expect "one buffer for both" 0 '^First=u32\[3, 2\]$' shared.comp.spv --engine both 'First=u32[1, 2]'
for buffer in First Second in.First; do
  expect "one buffer for both, by its address" 0 "^$buffer=u32\[3, 2\]\$" shared.comp.spv --buffer-addresses --engine both "$buffer=u32[1, 2]"
done
expect "an address of two" 1 "'First' has the same binding as 'Second', expected only one of them" shared.comp.spv --buffer-addresses 'Second=u32[1, 2]' 'First=u32[3, 4]'
expect "no buffer for both" 1 "the storage buffer 'Second' has no value" shared.comp.spv --buffer-addresses grid=1
expect "one buffer for both, at random" 0 '^Second=' shared.comp.spv --buffer-addresses --engine both --random-resources=3
expect "a size by another name" 0 '^First=u32\[2, 0\]$' sized.comp.spv --buffer-addresses --engine both 'First=u32[0, 0]'
single=('two=u32[1, 2]' wide=3 'pair=f32[5, 6]' last=7 'B=f32[0]')
for one in 1 'f32[1]'; do
  expect "an array of one: $one" 0 '^B=f32\[19\]$' single.comp.spv --engine both "one=$one" "${single[@]}"
done
expect "an array of one: another type" 1 "'one' is an array of 1 element of type f32, expected a list of the same number and type, found 1 of type u32" single.comp.spv 'one=u32[1]' "${single[@]}"
expect "an array of one: two" 1 "'one' is not an address, so it cannot be a buffer" single.comp.spv 'one=f32[1, 2]' "${single[@]}"
expect "an array of two: a number" 1 "'two' is an array of 2 elements of type i32, expected a list such as two=i32\[3; 2\]" single.comp.spv one=1 two=3 "${single[@]:1}"
# Components smaller than a word, several in a word: as lists of them, or as the words.
small=('pair=i16[1, -2]' 'bytes=u8[3, 4, 255, 6]' 'halves=f16[7, 8, 9, -10]' 'letters=i8[1, 2, 3, 4, 5, 6, 7, -8]' single=11)
small_words=('pair=0xFFFE0001' 'bytes=0x06FF0403' 'halves=i32[0x48004700, 0xC9004880]' 'letters=i32[0x04030201, 0xF8070605]' single=11)
expect "small components" 0 '^B=i32\[-2, 255, -10, -8, 11\]$' small.comp.spv --engine both "${small[@]}" 'B=i32[0; 5]'
expect "small components as words" 0 '^B=i32\[-2, 255, -10, -8, 11\]$' small.comp.spv --engine both "${small_words[@]}" 'B=i32[0; 5]'
expect "small components of another type" 1 "'pair' has 4 bytes, expected a list of i16" small.comp.spv "${small[@]/pair=*/pair=f16[1, 2]}" 'B=i32[0; 5]'
expect "too many small components" 1 "'bytes' has 4 bytes, expected a list of i8" small.comp.spv "${small[@]/bytes=*/bytes=u8[1, 2, 3, 4, 5]}" 'B=i32[0; 5]'
expect "a trap without a line, interpreter" 1 "^error: nowhere.comp.spv: @main, block b1, .*: load of 4 bytes at 0x0" nowhere.comp.spv --engine interpreter grid=1
expect "a trap without a line, simulator" 1 "^error: nowhere.comp.spv: trap at 0x0 .*: load of 4 bytes at 0x0" nowhere.comp.spv grid=1
expect "a number of workgroups and a push constant of one name" 0 '^B=u32\[52, 52, 52, 52\]$' count_named.comp.spv --engine both grid=2 num_workgroups=5 'B=u32[0; 4]'
expect "the same at random" 0 '^r0=i32\[42, 42, 42, 42, ' count_named.comp.spv --engine both --random-resources=3
expect "what was random, again" 0 '^r0=i32\[42, 42, 42, 42, ' count_named.comp.spv --random-resources=3 --save-run=random.txt
expect "what was random, again" 0 '^r0=i32\[42, 42, 42, 42, ' count_named.comp.spv --engine both --runs=random.txt
"$norn" opt count_named.comp.spv >>random.txt
expect "the text with what was random" 0 '^r0=i32\[42, 42, 42, 42, ' random.txt
expect "a color and a push constant of one name" 0 '^color0=.*\[\(1, 2, 3, 1\)\]$' color_named.frag.spv --engine both 'draw=fragments(1x1)' 'Normal=f32[1, 2, 3]'
expect "an element too many" 1 "'more\[2\]' does not exist: the shader declares 2 elements" tint.comp.spv "${given[@]}" more[2]='image(r8unorm, 1x1)'
expect "nothing for a buffer" 1 "the storage buffer 'sum' has no value" tint.comp.spv "${given[@]/sum*/}"
expect "nothing for an address" 1 "the storage buffer 'sum' has no value" tint.comp.spv --buffer-addresses "${given[@]/sum*/}"
expect "no image to save" 1 "unknown buffer or image 'none'" tint.comp.spv "${given[@]}" --save none=x.bin
expect "a buffer as a picture" 1 "'sum' is not an image" tint.comp.spv "${given[@]}" --save sum=x.png

"$norn" run tint.comp.spv grid=2 "${given[@]}" --save sum=sum.bin --save dst=dst.bin >out.txt && ! grep -qE "^(sum|dst)=" out.txt ||
  { failed=$((failed + 1)); echo "FAILED: saving"; head -c 300 out.txt; }
[ "$(od -An -tu1 dst.bin | tr -s ' ')" = ' 128 0 64 255 0 26 64 255' ] && [ "$(od -An -tu4 sum.bin | tr -d ' ')" = 18 ] ||
  { failed=$((failed + 1)); echo "FAILED: saved bytes"; }

# A grid that covers the image that is written, or that is given.
expect "a grid for an image" 0 '^dst=image\(r32uint, 5x3\)\[22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22\]$' \
  cover.comp.spv --engine both dst='image(r32uint, 5x3)'
expect "a grid with x" 0 '^dst=image\(r32uint, 5x3\)\[12, 12, 12, 12, 0, 12, 12, 12, 12, 0, 12, 12, 12, 12, 0\]$' \
  cover.comp.spv grid=1x2x1 dst='image(r32uint, 5x3)'
expect "a grid that is none" 1 "expected numbers of workgroups, as in 3,2 or 3x2, found '1xy'" cover.comp.spv grid=1xy dst='image(r32uint, 5x3)'
# At most as many workgroups as the driver starts; without a file, as many as any driver starts.
for engine in interpreter simulator; do
  expect "a grid beyond the limit, $engine" 1 'grid of 1, 3, 1 workgroups, but the program allows at most 2 along an axis' \
    cover.comp.spv --engine $engine --abi=<(echo '{"grid_limit": 2}') grid=1,3 dst='image(r32uint, 5x3)'
done
expect "a grid beyond all" 1 'grid of 65536, 1, 1 workgroups, but the program allows at most 65535 along an axis' cover.comp.spv grid=65536 dst='image(r32uint, 5x3)'
expect "a grid of any size" 0 '^dst=image' cover.comp.spv --abi=<(echo '{"grid_limit": 0}') grid=65536 dst='image(r32uint, 5x3)'

# Specialization constants: numbers have the constant's type; 0x and digits are its bits. constants NUMBERS VALUES...: sets
# the constants 0, 1... to these values; the others stay 1, the last one 0.
constants() {
  local numbers=$1 options=() id=0
  shift
  for value; do options+=("--spec=$((id++))=$value"); done
  expect "constants $*" 0 "^B=f64\\[$numbers\\]\$" constants.comp.spv --engine interpreter "${options[@]}" 'B=f64[0; 10]'
}
constants '1, 1, 1, 1, 1, 1, 1, 1, 1, 0'
constants '2.25, 2.25, 2.25, -2, 2, -2, 2, -2, 2, 1' 2.25 2.25 2.25 -2 2 -2 2 -2 2 true
constants '2, 2, 2, -128, 65535, -2147483648, 4294967295, -9.223372036854776e\+18, 1.8446744073709552e\+19, 1' 2 2 2 -128 65535 -2147483648 4294967295 -9223372036854775808 18446744073709551615 1
constants '2, 2, 2, -1, 65535, -1, 4294967295, -1, 1.8446744073709552e\+19, 0' 0x40000000 0x4000 0x4000000000000000 0xFF 0xffff 0xFFFFFFFF 0xFFFFFFFF 0xFFFFFFFFFFFFFFFF 0xFFFFFFFFFFFFFFFF false
constants 'nan, -inf, 1e\+300, 1, .*' nan -inf 1e300
constants '0.[0-9]+, 65504, .*' 0.1 65519
while IFS='|' read -r value expected; do
  expect "the constant $value" 1 "constants.comp.spv: --spec: the constant $expected, found '${value#*=}'\$" \
    constants.comp.spv --engine interpreter --spec="$value" 'B=f64[0; 10]'
done <<'END'
0=true|0 \(single\) has type f32, expected a number from -3.4028235e38 to 3.4028235e38, or its bits such as 0x3F000000
0=0x100000000|0 \(single\) has type f32, .*
0=1e39|0 \(single\) has type f32, .*
1=65520|1 \(half_\) has type f16, expected a number from -65504 to 65504, or its bits such as 0x3800
1=0x10000|1 \(half_\) has type f16, .*
2=1e309|2 \(wide\) has type f64, .*
3=128|3 \(signed_8\) has type i8, expected an integer from -128 to 127, or its bits such as 0xFF
3=0x100|3 \(signed_8\) has type i8, .*
4=-1|4 \(unsigned_16\) has type u16, expected an integer from 0 to 65535, or its bits such as 0xFFFF
5=2.5|5 \(signed_32\) has type i32, .*
5=false|5 \(signed_32\) has type i32, .*
6=4294967296|6 \(unsigned_32\) has type u32, .*
7=9223372036854775808|7 \(signed_64\) has type i64, .*
8=18446744073709551616|8 \(unsigned_64\) has type u64, .*
9=2|9 \(truth\) has type bool, expected true or false
END
expect "a constant that is given twice" 2 "--spec: the constant 0 is given twice" constants.comp.spv --spec=0=1 --spec=0=2 'B=f64[0; 10]'
expect "a constant that is no number" 2 "expected ID=VALUE such as 0=64, 3=true or 1=0.5, found '0=x'" constants.comp.spv --spec=0=x 'B=f64[0; 10]'

# What vertices and fragments must know about each other: the left half is clipped, x is that of the picture, and with perspective smaller
# on the left.
expect "clip distances" 0 '^color0=image\(rgba32float, 4x1\)\[\(9, 9, 9, 9\), \(9, 9, 9, 9\), \(0.25, 0, -474, 1\), \(0.75, 0, -176, 1\)\]$' \
  clip.frag.spv --vertex=clip.vert.spv --engine both 'draw=triangles(3, 4x1)' 'color=image(rgba32float, 4x1)[9; 16]'
expect "too many clip distances" 1 "'clip_distances': expected a number from 0 to 8" clip.frag.spv --abi=<(echo '{"clip_distances": 9}')

# A vertex shader's attributes: one has the name of an output, one occupies four locations.
expect "attributes" 0 '^position=f32\[1, 2, 0, 1, 3, 4, 0, 3\]$' square.vert.spv --engine both 'draw=vertices(2)' in.position='f32[1, 2, 3, 4]' \
  matrix='f32[1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1,  1, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 3]' id='u32[7, 8]'
expect "attributes of integers" 1 "'id' is an attribute of integers" square.vert.spv 'draw=vertices(2)' id='f32[1]'

# The first instance of a draw: instance numbers start there, and so do attributes with a divisor; others count vertices.
instances=(B='f32[10, 11, 12, 13, 14, 15]' C='f32[20, 21]' 'attribute0=B(r32float, divisor:2) attribute1=C(r32float)')
for draw in 'vertices(1, instances:3, first_instance:2)|12, 20, 2, 2, 12, 20, 3, 2, 13, 20, 4, 2' 'vertices(1, instances:3)|10, 20, 0, 0, 10, 20, 1, 0, 11, 20, 2, 0' \
  'vertices(1, instances:2, first_instance:4294967295)|0, 20, -1, -1, 0, 20, 0, -1'; do
  expect "first instance: $draw" 0 "^position=f32\\[${draw#*|}\\]\$" instanced.vert.spv --engine both "draw=${draw%|*}" "${instances[@]}"
done
expect "first instance of a triangle" 0 '^color0=image\(rgba32float, 1x1\)\[\(5, 5, 5, 5\)\]$' scaled.frag.spv --vertex=instanced_triangle.vert.spv --engine both --spec=3=5 \
  'draw=triangles(3, 1x1, first_instance:1)' 'B=f32[0, 4]' 'attribute0=B(r32float, divisor:1)'
expect "another instance of a triangle" 0 '^color0=image\(rgba32float, 1x1\)\[\(0, 0, 0, 0\)\]$' scaled.frag.spv --vertex=instanced_triangle.vert.spv --engine both --spec=3=5 \
  'draw=triangles(3, 1x1)' 'B=f32[0, 4]' 'attribute0=B(r32float, divisor:1)'

# Arrays and matrices, given by element and column, or as a whole, vertex after vertex.
expect_elements() {
  expect "elements: $2" "$1" "$2" elements.vert.spv --engine both 'draw=vertices(2)' "${@:3}"
}
turns=(turns[0]='f32[1, 2, 3, 4, 5, 6, 7, 8]' turns[1]='f32[10, 20, 30, 40, 50, 60, 70, 80]')
columns=(turn[1]='f32[300, 400, 700, 800]' turn[0]='f32[100, 200, 500, 600]')
weights=(weights[0]='f32[0.5, 1]' weights[1]='f32[1, 1]' weights[2]='f32[2, 0]')
whole=(weights='f32[0.5, 1, 2, 1, 1, 0]' turns='f32[1, 2, 3, 4, 10, 20, 30, 40, 5, 6, 7, 8, 50, 60, 70, 80]' turn='f32[100, 200, 300, 400, 500, 600, 700, 800]')
values='^position=f32\[412, 444.5, 10.5, 2, 1256, 889, 55, 0\]$'
expect_elements 0 "$values" "${turns[@]}" "${columns[@]}" "${weights[@]}"
expect_elements 0 "$values" "${whole[@]}"
expect_elements 0 "$values" "${whole[@]:0:2}" "${columns[@]}"
expect_elements 1 "'weights\[3\]' does not exist: the shader declares 3 elements" "${whole[@]}" weights[3]='f32[1, 2]'
expect_elements 1 "'weights\[1\]' is also given by 'weights'" "${whole[@]}" weights[1]='f32[1, 2]'
expect_elements 1 "the attribute 'turns\[1\]' has no value, expected one such as turns\[1\]=f32\[" "${turns[@]:0:1}" "${columns[@]}" "${weights[@]}"
expect_elements 1 "the attribute 'weights' has no value, expected" "${turns[@]}" "${columns[@]}"
expect_elements 1 "it declares turns \(attribute\), turn \(attribute\), weights \(attribute\)$" other=1
# Varyings: elements that are not given have default values.
draw_elements() {
  expect "elements of varyings: $2" "$1" "$2" elements.frag.spv --engine both 'draw=fragments(2x1)' "${@:3}"
}
draw_elements 0 '\[\(1, 2, 3, 47\), \(1, 2, 3, 47\)\]$' pairs[0]='f32[1, 9]' pairs[1]='f32[9, 2]' id[1]='u32[7]' id[0]='u32[4]' pairs[2]='f32[3, 5]'
draw_elements 0 '\[\(0.25, 2, 3, 20\), \(0.75, 2, 3, 20\)\]$' pairs[1]='f32[9, 2]' id[0]='u32[2]' pairs[2]='gradients[3, 0, 0, 0, 0, 0]'
draw_elements 0 '\[\(1, 4, 5, 12\), \(1, 4, 5, 12\)\]$' pairs='f32[1, 2, 3, 4, 5, 6]' id='u32[1, 2]'
draw_elements 1 "'pairs\[1\]' is also given by 'pairs'" pairs='f32[1, 2, 3, 4, 5, 6]' pairs[1]='f32[1, 2]'
draw_elements 1 "'pairs\[3\]' does not exist: the shader declares 3 elements" pairs[3]='f32[1, 2]'
draw_elements 1 "'id\[0\]' is a varying of 1 components" id[0]='u32[1, 2]'

# An array of colors has names for its elements.
draw_colors() {
  expect "elements of colors: $2" "$1" "$2" colors.frag.spv --engine both 'draw=fragments(1x1)' "${@:3}"
}
draw_colors 0 '^color1=image\(rgba16float, 1x1\)\[\(2, 3, 4, 5\)\]$' parts[1]='image(rgba16float, 1x1)' last='image(r8unorm, 1x1)'
draw_colors 0 '^color2=image\(r8unorm, 1x1\)\[255\]$' parts[0]='image(rgba16float, 1x1)' last='image(r8unorm, 1x1)'
draw_colors 0 '^color0=image\(rgba16float, 1x1\)\[\(1, 2, 3, 4\)\]$' parts[0]='image(rgba16float, 1x1)' '=>' parts[0]='[1, 2, 3, 4]' parts[1]='f32[2, 3, 4, 5]'
draw_colors 1 'color1\[3\].* is f32\[5\], but should be f32\[6\]' '=>' parts[1]='f32[2, 3, 4, 6]'
draw_colors 1 "'parts' is an array of colors, expected one of its elements, as in parts\[0\]=image\(" parts='image(rgba16float, 1x1)'
draw_colors 1 "'parts\[2\]' does not exist: the shader declares 2 elements" parts[2]='image(rgba16float, 1x1)'
draw_colors 1 'it declares parts\[0\] \(color\), parts\[1\] \(color\), last \(color\)$' other=1
draw_colors 0 '^color0=' --save parts[1]=part.bin
! grep -q ^color1 out.txt && [ "$(od -An -tf4 part.bin | tr -s ' ')" = ' 2 3 4 5' ] || { failed=$((failed + 1)); echo "FAILED: saving an element of colors"; }

# Input attachments are the color targets of their indices.
attach() {
  expect "input attachments: $2" "$1" "$2" attachments.frag.spv --engine both 'draw=fragments(1x1)' "${@:3}"
}
parts=(parts[0]='image(rgba32float, 1x1)[1, 2, 3, 4]' parts[1]='image(rgba32float, 1x1)[5, 6, 7, 8]')
attach 0 '^color1=image\(rgba32float, 1x1\)\[\(51, 62, 73, 84\)\]$' "${parts[@]}"
attach 0 '^color0=image\(rgba16sint, 1x1\)\[\(8, 9, 10, 11\)\]$' "${parts[@]}" counts='image(rgba16sint, 1x1)[7, 8, 9, 10]' '=>' counts='i16[8, 9, 10, 11]'
attach 0 '^color0=image\(rgba32sint, 1x1\)\[\(1, 1, 1, 1\)\]$' "${parts[@]}"
attach 1 "the input attachment 'parts\[1\]' has no value, expected one such as parts\[1\]=image" "${parts[@]:0:1}"
attach 1 "'parts' is an array of input attachments, expected one of its elements, as in parts\[0\]=image" parts='image(rgba32float, 1x1)'
attach 1 "'parts\[2\]' does not exist: the shader declares 2 elements" "${parts[@]}" parts[2]='image(rgba32float, 1x1)'
attach 1 "'counts' is an input attachment, expected a value such as image" "${parts[@]}" counts=7
attach 1 "'sum' is color0, which is given twice" "${parts[@]}" counts='image(rgba32sint, 1x1)' sum='image(rgba32sint, 1x1)'
attach 1 'it declares counts \(input attachment\), parts \(input attachment\), sum \(color\), color \(color\)$' other=1
expect "samples of an input attachment" 0 '^color0=.*samples:4\)\[(\(0, 1, 2, 3\),? ?){4}\]$' sampled_attachment.frag.spv --engine both \
  'draw=fragments(1x1, samples:4)' before='image(rgba32float, 1x1, samples:4)[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 1, 2, 3, 4]'
expect "an input attachment at random" 0 '^color0=image\(rgba32float, 8x8, samples:4\)\[\(-?[0-9.]+, ' sampled_attachment.frag.spv --engine both --random-resources=2

# A fragment shader over the whole screen, and on given varyings.
expect "the screen" 0 'color0=image\(rgba32float, 2x2\)\[\(0.25, 0.25, 0, 0\), \(0.75, 0.25, 0, 0\), \(0.25, 0.75, 0, 0\), \(0.75, 0.75, 0, 0\)\]$' \
  tint.frag.spv --engine both 'draw=fragments(2x2)'
expect "varyings" 0 'color0=image\(rgba16float, 2x1\)\[\(11, 3, 6, 9\), \(13, 3, 6, 9\)\]$' tint.frag.spv --engine both 'draw=fragments(2x1)' uv='gradients[10, 2, 0, 3, 0, 0]' \
  level='f32[6]' flags='u32[9]' tint='image(rgba16float, 2x1)'

# Triangles: draw NAME COLORS ARGUMENTS..., where the colors are 32-bit floats as they are printed.
draw() {
  local name=$1 colors=$2
  shift 2
  expect "$name" 0 "^color0=image\(rgba32float, [24]x[12](, samples:4)?\)\[$colors\]\$" plane.frag.spv --vertex=plane.vert.spv --engine both factor=1 least=0 "$@"
}
quad='corner=f32[-1, -1, 0.5, 1,  -1, 1, 0.5, 1,  1, -1, 0.5, 1,  1, 1, 0.5, 1]'
screen='-1, -1, 0.5, 1,  3, -1, 0.5, 1,  -1, 3, 0.5, 1'
none='\(0, 0, 0, 0\)'
draw "a strip, whose edge belongs to one triangle" '\(10, -0.5, 1, 1\), \(20, 0.5, 1, 1\), \(20, -0.5, 1, 1\), \(20, 0.5, 1, 1\)' \
  'draw=triangles(4, 2x2, strip)' "$quad" shade='f32[10, 20, 30, 40]'
draw "triangles seen from behind" "$none, $none, $none, $none" 'draw=triangles(4, 2x2, strip, cull:front)' "$quad" shade='f32[1; 4]'
draw "depth from 0 to 1" "$none, $none, \\(1, 0.25, 1, 0\\), \\(1, 0.75, 1, 0\\)" 'draw=triangles(3, 4x1)' \
  'corner=f32[-1, -1, -0.5, 1,  3, -1, 1.5, 1,  -1, 3, -0.5, 1]' shade='f32[1, 1, 1]'
draw "a corner behind the eye" '\(1, -0.25, 2, 1\), \(0, 0, 0, 0\), \(1, -0.25, 2, 1\), \(0, 0, 0, 0\)' 'draw=triangles(3, 2x2)' \
  'corner=f32[0, 1, 0.5, 1,  0, -1, 0.5, 1,  -1, 0, -0.5, -1]' shade='f32[1, 1, 1]'
draw "what is behind is hidden" '\(1, -0.5, 1, 0\), .*' 'draw=triangles(6, 2x1)' "corner=f32[$screen, ${screen//0.5/0.75}]" shade='f32[1, 1, 1, 2, 2, 2]'
draw "what is before hides" '\(2, -0.5, 1, 0\), .*' 'draw=triangles(6, 2x1)' "corner=f32[$screen, ${screen//0.5/0.25}]" shade='f32[1, 1, 1, 2, 2, 2]'
draw "another comparison" '\(2, -0.5, 1, 0\), .*' 'draw=triangles(6, 2x1, depth:always)' "corner=f32[$screen, ${screen//0.5/0.75}]" shade='f32[1, 1, 1, 2, 2, 2]'
draw "what is discarded hides nothing" '\(2, -0.5, 1, 0\), .*' 'draw=triangles(6, 2x1)' "corner=f32[$screen, ${screen//0.5/0.75}]" shade='f32[-1, -1, -1, 2, 2, 2]'
draw "samples" '(\(1, -0.5, 1, 0\), ){4}\(1, 0.5, 1, 0\).*' 'draw=triangles(3, 2x1, samples:4)' "corner=f32[$screen]" shade='f32[1; 3]'
# Only fragments run for each sample: those that request it, or all of them.
sampled() {
  for engine in simulator interpreter both; do
    expect "$1, $engine" 0 "^color0=image\\(rgba32float, 1x1, samples:4\\)\\[$2\\]\$" "$3.frag.spv" --vertex=plane.vert.spv --engine=$engine \
      "corner=f32[$screen]" shade='f32[1; 3]' factor=1 "${@:4}"
  done
}
sampled "fragments that ask for samples" '\(0, 0.375, 0.125, 0\), \(1, 0.875, 0.375, 0\), \(2, 0.125, 0.625, 0\), \(3, 0.625, 0.875, 0\)' by_sample 'draw=triangles(3, 1x1, samples:4)'
sampled "a sample input" '\(0.75, [^)]*\), \(1.75, [^)]*\), \(0.25, [^)]*\), \(1.25, [^)]*\)' sample_input 'draw=triangles(3, 1x1, samples:4)'
for draw in 'draw=triangles(3, 1x1, samples:4)' 'draw=triangles(3, 1x1, samples:4, by_sample)'; do
  sampled "fragments that are compiled for samples" '(\(0.375, 0.125, 0, 1\)), (\(0.875, 0.375, 0, 1\)), .*' coordinates "$draw" --by-sample
done
# A sample that is not covered is a helper: it counts nothing.
expect "samples outside of the triangle" 0 '^Count=u32\[2\]$' count_samples.frag.spv --vertex=plane.vert.spv --engine both factor=1 \
  'draw=triangles(3, 1x1, samples:4)' 'corner=f32[-1, -1, 0.5, 1,  0, -1, 0.5, 1,  -1, 3, 0.5, 1]' shade='f32[1; 3]' Count='u32[0]' 'color=image(r32float, 1x1, samples:4)'
# early NAME PATTERN ARGUMENTS...: with depth tests before the fragments, which count how many of them run.
early() {
  local name=$1 pattern=$2
  shift 2
  expect "$name" 0 "$pattern" early.frag.spv --vertex=plane.vert.spv --engine both factor=1 Count='u32[0]' 'color=image(r32float, 2x1)' "$@"
}
early "what is hidden does not run" '^Count=u32\[2\]$' 'draw=triangles(6, 2x1)' "corner=f32[$screen, ${screen//0.5/0.75}]" shade='f32[1; 6]'
early "what is before runs" '^Count=u32\[4\]$' 'draw=triangles(6, 2x1)' "corner=f32[$screen, ${screen//0.5/0.25}]" shade='f32[1; 6]'
early "what is discarded hides" '^Count=u32\[2\]$' 'draw=triangles(6, 2x1)' "corner=f32[$screen, ${screen//0.5/0.75}]" shade='f32[-1, -1, -1, 2, 2, 2]'
early "the depth that is stored is ignored" '^depth=image\(r32float, 2x1\)\[0.5, 0.5\]$' 'draw=triangles(3, 2x1)' "corner=f32[$screen]" shade='f32[1; 3]' 'depth=image(r32float, 2x1)[1, 1]'
expect "depth without a color" 0 '^depth=image\(r32float, 2x1\)\[0.5, 1\]$' no_color.frag.spv --vertex=plane.vert.spv --engine both factor=1 \
  'draw=triangles(3, 2x1)' "corner=f32[$screen]" shade='f32[1; 3]' 'depth=image(r32float, 2x1)[1, 1]'
expect "triangles without vertices" 1 'triangles need a vertex shader' plane.frag.spv 'draw=triangles(3, 2x2)' least=0
expect "vertices without triangles" 1 'expected draw=triangles' plane.frag.spv --vertex=plane.vert.spv 'draw=fragments(2x2)' least=0
expect "two vertex shaders" 1 'plane.vert.spv is a vertex shader, expected a fragment shader' plane.vert.spv --vertex=plane.vert.spv 'draw=triangles(3, 2x2)'
expect "a compute shader behind vertices, on nothing" 1 'shared.comp.spv is a compute shader, expected a fragment shader' shared.comp.spv --vertex=plane.vert.spv
expect "two fragment shaders" 1 'is a fragment shader, expected a vertex shader' plane.frag.spv --vertex=plane.frag.spv 'draw=triangles(3, 2x2)' least=0
expect "a name that neither knows" 1 "the programs declare no resource 'other'; they declare corner \(attribute\), shade \(attribute\), factor \(push constant\), level \(varying\), least \(push constant\), slope \(varying\), color \(color\)\$" \
  plane.frag.spv --vertex=plane.vert.spv 'draw=triangles(3, 2x2)' least=0 other=1
expect "a name of both" 1 "they declare place \(attribute\), Marks \(storage buffer\), seen \(image\), Both \(storage buffer\), color \(color\)\$" \
  marks.frag.spv --vertex=marks.vert.spv 'draw=triangles(3, 2x1)' 'place=f32[-1, -1, 3, -1, -1, 3]' other=1
# A constant in one of the two shaders.
expect "a constant that neither has" 1 '^error: plane.vert.spv and scaled.frag.spv: --spec: no constant has the SpecId 4, expected one of 3$' scaled.frag.spv \
  --vertex=plane.vert.spv 'draw=triangles(3, 1x1)' "corner=f32[$screen]" shade='f32[1; 3]' factor=1 --spec=4=2
expect "a constant of the fragments" 0 '\[\(2, 2, 2, 2\)\]$' scaled.frag.spv --vertex=plane.vert.spv --engine both 'draw=triangles(3, 1x1)' "corner=f32[$screen]" shade='f32[1; 3]' factor=1 --spec=3=2

# Results of vertices in buffers and images are also printed, compared and saved; fragments can read them. marks PATTERN
# ARGUMENTS...
marks() {
  local pattern=$1
  shift
  expect "marks of vertices: $pattern" 0 "$pattern" marks.frag.spv --vertex=marks.vert.spv --engine both 'draw=triangles(3, 2x1)' 'place=f32[-1, -1, 3, -1, -1, 3]' "$@"
}
left=(Marks='i32[0, 0, 0]' seen='image(r32sint, 3x1)' Both='i32[0, 0, 0, 5]')
marks '^Marks=i32\[1, 2, 3\]$' "${left[@]}"
marks '^seen=image\(r32sint, 3x1\)\[4, 5, 6\]$' "${left[@]}"
marks '^Both=i32\[7, 8, 9, 7\]$' "${left[@]}"
marks '^color0=image\(rgba32float, 2x1\)\[\(7, 8, 9, 1\), \(7, 8, 9, 1\)\]$' "${left[@]}"
grep -q '^place=' out.txt && { failed=$((failed + 1)); echo "FAILED: attributes of a draw are printed"; }
marks '^color0=' "${left[@]}" '=>' Marks='[1, 2, 3]' Both='[7, 8, 9, 7]'
marks '^Marks=i32\[1, 2, 3\]$' "${left[@]:1:1}" '=>' Marks='i32[1, 2, 3]' Both='i32[7, 8, 9, 2]' position='f32[-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1]'
expect "marks of vertices that are others" 1 'Marks\[1\] is i32\[2\], but should be i32\[9\]' marks.frag.spv --vertex=marks.vert.spv 'draw=triangles(3, 2x1)' \
  'place=f32[-1, -1, 3, -1, -1, 3]' "${left[@]}" '=>' 'Marks=[1, 9, 3]'
marks '^Both=' "${left[@]}" --save Marks=marks.bin --save seen=seen.bin
! grep -qE '^(Marks|seen)=' out.txt && [ "$(cat marks.bin seen.bin | od -An -td4 | tr -s ' ' | tr -d '\n')" = ' 1 2 3 4 5 6' ] ||
  { failed=$((failed + 1)); echo "FAILED: saving marks of vertices"; }

if "$norn" run -q tint.frag.spv 'draw=fragments(2x2)' --save tint=screen.png 2>out.txt; then
  # Saved pictures can be read again, in formats of all kinds.
  expect "a picture" 0 '^dst=image\(rgba8unorm, 2x1\)\[\(32, 96, 64, 0\), \(96, 96, 64, 0\)\]$' tint.comp.spv --engine both grid=2 "${given[@]:1}" src=image@screen.png
  expect "a picture's formats" 0 '^dst=' tint.comp.spv grid=2 "${given[@]:1}" 'src=image(rg16unorm, 2x2)@screen.png' --save src=again.png
  expect "a wrong size" 1 "screen.png is a picture of 2x2" tint.comp.spv "${given[@]:1}" 'src=image(rg16unorm, 3x2)@screen.png'
  echo no picture >bad.png
  expect "no picture" 1 "bad.png: Not a PNG file" tint.comp.spv "${given[@]:1}" src=image@bad.png
else
  grep -q 'this build does not support pictures' out.txt || { failed=$((failed + 1)); cat out.txt; }
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
