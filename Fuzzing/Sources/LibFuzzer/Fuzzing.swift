import CLibFuzzer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The parts of a fuzzing program.
public enum Fuzzing {
    /// Hands the process over to libFuzzer, with the arguments that it was started with.
    ///
    /// SwiftPM gives every executable a `main` of its own, so libFuzzer's cannot be used.
    public static func run(_ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
    }

    /// Ends the process if something is not as it always must be, for libFuzzer to keep the input.
    public static func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        // Unlike `precondition` it prints its message in a release build.
        if !condition { fatalError(message()) }
    }
}
