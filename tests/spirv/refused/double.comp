#version 450
/* refused by the target: the hardware has no 64-bit floats */
layout(binding = 0) buffer B { double b; };
void main() { b += 1; }
