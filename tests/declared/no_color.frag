#version 450
void main() {
  if (gl_FragCoord.x > 1)
    discard;
}
