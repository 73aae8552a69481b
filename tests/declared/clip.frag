#version 450
in float gl_ClipDistance[2];
layout(location = 0) noperspective in vec2 plain;
layout(location = 1) in vec2 deep;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(plain, round(deep.x * 1000), gl_ClipDistance[0]);
}
