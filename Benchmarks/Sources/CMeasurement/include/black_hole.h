#ifndef KEYSPAN_BLACK_HOLE_H
#define KEYSPAN_BLACK_HOLE_H

/// Does nothing, in another language and file, so that the compiler must believe that the value is used.
void keyspan_black_hole(const void *value);

#endif
