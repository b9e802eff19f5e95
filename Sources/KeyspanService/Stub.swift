#if Service
@_spi(StoreAuthors) import KeyspanCore
#endif
