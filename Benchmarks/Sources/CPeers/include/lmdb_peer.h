#ifndef KEYSPAN_LMDB_PEER_H
#define KEYSPAN_LMDB_PEER_H

#include <stdbool.h>
#include <stddef.h>

/// An LMDB database, from a library that is loaded when it is first asked for, so that nothing is built against it.
typedef struct keyspan_lmdb keyspan_lmdb;

/// Whether the library is installed.
bool keyspan_lmdb_is_installed(void);

/// Opens a database in an existing folder, with its default durability: a commit returns when the disk has it.
///
/// Returns NULL on failure, of which `error` then has a text that is never freed.
keyspan_lmdb *keyspan_lmdb_open(const char *folder, const char **error);

/// Writes one value in a transaction of its own; `NULL`, or the text of the error.
const char *keyspan_lmdb_put(keyspan_lmdb *database, const char *key, size_t key_size, const void *value, size_t size);

/// Begins a transaction of many writes, or commits it; `NULL`, or the text of the error.
const char *keyspan_lmdb_begin(keyspan_lmdb *database);
const char *keyspan_lmdb_commit(keyspan_lmdb *database);

/// The first eight bytes of a value, or fewer, read in a snapshot that is taken for the read; false if there is none.
bool keyspan_lmdb_get(keyspan_lmdb *database, const char *key, size_t key_size, unsigned long long *value);

/// Closes the database.
void keyspan_lmdb_close(keyspan_lmdb *database);

#endif
