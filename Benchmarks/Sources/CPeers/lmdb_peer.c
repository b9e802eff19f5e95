#include "lmdb_peer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// What is used of <lmdb.h>, which need not be there.
typedef struct {
    size_t size;
    void *data;
} val;

enum { read_only = 0x20000 };

static struct {
    int (*env_create)(void **env);
    int (*env_set_mapsize)(void *env, size_t size);
    int (*env_open)(void *env, const char *path, unsigned flags, unsigned mode);
    void (*env_close)(void *env);
    int (*txn_begin)(void *env, void *parent, unsigned flags, void **txn);
    int (*txn_commit)(void *txn);
    void (*txn_abort)(void *txn);
    void (*txn_reset)(void *txn);
    int (*txn_renew)(void *txn);
    int (*dbi_open)(void *txn, const char *name, unsigned flags, unsigned *dbi);
    int (*put)(void *txn, unsigned dbi, val *key, val *value, unsigned flags);
    int (*get)(void *txn, unsigned dbi, val *key, val *value);
    char *(*strerror)(int code);
} lmdb;

struct keyspan_lmdb {
    void *env;
    unsigned dbi;
    // A transaction of many writes while there is one, and one of reads that is renewed for each.
    void *writing;
    void *reading;
};

static bool load(void) {
    void *library = dlopen("liblmdb.so.0", RTLD_NOW);
    if (library == NULL) library = dlopen("liblmdb.so", RTLD_NOW);
    if (library == NULL) library = dlopen("liblmdb.dylib", RTLD_NOW);
    if (library == NULL) return false;
#define LOAD(name) ((*(void **)&lmdb.name = dlsym(library, "mdb_" #name)) != NULL)
    return LOAD(env_create) && LOAD(env_set_mapsize) && LOAD(env_open) && LOAD(env_close) && LOAD(txn_begin) &&
           LOAD(txn_commit) && LOAD(txn_abort) && LOAD(txn_reset) && LOAD(txn_renew) && LOAD(dbi_open) && LOAD(put) &&
           LOAD(get) && LOAD(strerror);
#undef LOAD
}

bool keyspan_lmdb_is_installed(void) {
    static int state;
    if (state == 0) state = load() ? 1 : -1;
    return state == 1;
}

static const char *text(int code) { return code == 0 ? NULL : lmdb.strerror(code); }

static int open_database(keyspan_lmdb *database, const char *folder) {
    int code = lmdb.env_create(&database->env);
    if (code == 0) code = lmdb.env_set_mapsize(database->env, (size_t)1 << 30);
    if (code == 0) code = lmdb.env_open(database->env, folder, 0, 0600);
    if (code != 0) return code;
    void *txn = NULL;
    code = lmdb.txn_begin(database->env, NULL, 0, &txn);
    if (code != 0) return code;
    code = lmdb.dbi_open(txn, NULL, 0, &database->dbi);
    if (code != 0) {
        lmdb.txn_abort(txn);
        return code;
    }
    code = lmdb.txn_commit(txn);
    if (code != 0) return code;
    code = lmdb.txn_begin(database->env, NULL, read_only, &database->reading);
    if (code == 0) lmdb.txn_reset(database->reading);
    return code;
}

keyspan_lmdb *keyspan_lmdb_open(const char *folder, const char **error) {
    keyspan_lmdb *database = calloc(1, sizeof *database);
    if (database == NULL) {
        *error = "no memory";
        return NULL;
    }
    int code = open_database(database, folder);
    if (code != 0) {
        *error = text(code);
        keyspan_lmdb_close(database);
        return NULL;
    }
    return database;
}

const char *keyspan_lmdb_begin(keyspan_lmdb *database) {
    return text(lmdb.txn_begin(database->env, NULL, 0, &database->writing));
}

const char *keyspan_lmdb_commit(keyspan_lmdb *database) {
    void *txn = database->writing;
    database->writing = NULL;
    return text(lmdb.txn_commit(txn));
}

const char *keyspan_lmdb_put(keyspan_lmdb *database, const char *key, size_t key_size, const void *value, size_t size) {
    void *txn = database->writing;
    if (txn == NULL) {
        int code = lmdb.txn_begin(database->env, NULL, 0, &txn);
        if (code != 0) return text(code);
    }
    val key_val = {key_size, (void *)key}, value_val = {size, (void *)value};
    int code = lmdb.put(txn, database->dbi, &key_val, &value_val, 0);
    if (database->writing != NULL) return text(code);
    if (code != 0) {
        lmdb.txn_abort(txn);
        return text(code);
    }
    return text(lmdb.txn_commit(txn));
}

bool keyspan_lmdb_get(keyspan_lmdb *database, const char *key, size_t key_size, unsigned long long *value) {
    if (lmdb.txn_renew(database->reading) != 0) return false;
    val key_val = {key_size, (void *)key}, found;
    bool is_there = lmdb.get(database->reading, database->dbi, &key_val, &found) == 0;
    *value = 0;
    if (is_there) memcpy(value, found.data, found.size < sizeof *value ? found.size : sizeof *value);
    lmdb.txn_reset(database->reading);
    return is_there;
}

void keyspan_lmdb_close(keyspan_lmdb *database) {
    if (database->writing != NULL) lmdb.txn_abort(database->writing);
    if (database->reading != NULL) lmdb.txn_abort(database->reading);
    if (database->env != NULL) lmdb.env_close(database->env);
    free(database);
}
