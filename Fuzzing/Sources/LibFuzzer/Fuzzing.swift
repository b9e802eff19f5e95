import CLibFuzzer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The common parts of the fuzzing programs.
public enum Fuzzing {
    /// Runs libFuzzer with the arguments of the process.
    ///
    /// SwiftPM gives every executable a `main` of its own, so libFuzzer's cannot be used.
    public static func run(_ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
    }

    /// Ends the process if a condition is false, so that libFuzzer keeps the input.
    public static func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        // Unlike `precondition` it prints its message in a release build.
        if !condition { fatalError(message()) }
    }
}
