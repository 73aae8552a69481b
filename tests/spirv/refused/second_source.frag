#version 450
/* refused: OpReturn: a color at location 1, index 1 is not supported */
layout(location = 1, index = 0) out vec4 color;
layout(location = 1, index = 1) out vec4 factor;
void main() {
  color = vec4(1);
  factor = vec4(0.5);
}
