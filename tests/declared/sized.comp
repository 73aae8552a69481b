#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer First { uint first[]; };
layout(binding = 0) buffer Second { uint second[]; };
void main() {
  second[1] = 0;
  first[0] = second.length();
}
