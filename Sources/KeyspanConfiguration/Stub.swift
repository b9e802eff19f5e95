#if Configuration
@_spi(StoreAuthors) import KeyspanCore
#endif
