#if Service
public import KeyspanCore
public import Logging

extension Defaults {
    /// Logs all problems from now on, one line each, in place of the handler before.
    ///
    /// ```swift
    /// // With the trait Service
    /// Defaults.log(problemsTo: Logger(label: "settings"))
    /// ```
    ///
    /// A program that also counts problems or sends them elsewhere sets a handler of its own with `onProblem(_:)`, which calls
    /// ``Logging/Logger/log(_:)``.
    ///
    /// - Parameter logger: Called on the thread that met the problem, without any lock.
    public static func log(problemsTo logger: Logger) {
        onProblem { logger.log($0) }
    }
}

extension Logger {
    /// Logs a problem of settings as one line.
    ///
    /// The message is the sentence of the problem, and the level follows its severity: `notice`, `warning` or `error`. The metadata are its
    /// fields, as `keyspan.key`, `keyspan.store` and so on; `Defaults.Problem.fields` lists them. Neither has the value of a secret. Costs a
    /// comparison of levels if the level is off.
    ///
    /// - Parameter problem: The problem.
    public func log(_ problem: Defaults.Problem) {
        log(
            level: Level(problem.severity),
            "\(problem.description)",
            metadata: problem.metadata,
            source: "Keyspan"
        )
    }
}

extension Logger.Level {
    /// The level of a problem of settings.
    public init(_ severity: Defaults.Problem.Severity) {
        self =
            switch severity {
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }
}

extension Defaults.Problem {
    /// The fields of the problem as metadata.
    var metadata: Logger.Metadata {
        Logger.Metadata(uniqueKeysWithValues: fields.map { ("keyspan.\($0.key)", .string($0.value)) })
    }
}
#endif
