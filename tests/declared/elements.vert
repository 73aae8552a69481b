#version 450
layout(location = 0) in float weights[3];
layout(location = 3) in mat2 turns[2];
layout(location = 7) in mat2 turn;
void main() {
  gl_Position = vec4(turns[0][0].x + turns[1][0].x + turn[0].x + turn[1].x + weights[1],
                     turns[0][1].y + turns[1][1].y + turn[1].y + weights[0], turns[0][0].x * weights[0] + turns[1][0].x, weights[2]);
}
