#if Service
import Testing
#endif
