#include "black_hole.h"

void keyspan_black_hole(const void *value) { (void)value; }
