#version 450
/* refused: OpExecutionMode .* InputPoints: this execution mode is not supported */
layout(points) in;
layout(points, max_vertices = 1) out;
void main() {}
