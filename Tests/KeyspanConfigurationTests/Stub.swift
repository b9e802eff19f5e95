#if Configuration
import Testing
#endif
