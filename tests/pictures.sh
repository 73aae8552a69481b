#!/usr/bin/env bash
# The GLSL examples generate their pictures, in the simulator and the interpreter, with the commands in their comments.
#   pictures.sh NORN EXAMPLES REFERENCE; exit status 77 (skipped) if glslang is missing
set -u
norn=$(realpath "$1")
examples=$(realpath "$2")
reference=$(realpath "$3")
command -v glslangValidator >/dev/null || { echo "glslangValidator is missing"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
ln -s "$examples"/*.{comp,vert,frag} .
mkdir bin && ln -s "$norn" bin/norn
PATH=$folder/bin:$PATH

# commands FILE: the commands in its first comment.
commands() { sed -n '/^\/\*/,/\*\//p' "$1" | sed -n '/^ \*   /s/^ \*   //p'; }

failed=0
for source in mandelbrot.comp cube.vert; do
  name=${source%.*}
  for engine in simulator interpreter; do
    # As in the comment, except for the picture's file: its bytes are compared.
    command=$(commands "$source" | sed "s/norn run/& -q --engine $engine/; s/--save \([a-z]*\)=.*/--save \1=$name.bin/")
    command=${command//color=cube.bin/color=cube.bin \'color=image(rgba8unorm, 256x256)\'}
    bash -e -c "$command" >out.txt && "$reference" "$name" "$name.bin" || { failed=1; echo "FAILED: $source, $engine"; cat out.txt; }
  done
done
exit "$failed"
