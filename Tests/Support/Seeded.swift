import KeyspanTesting
package import Testing

extension Trait where Self == IssueHandlingTrait {
    /// Adds to each issue of a test with random choices the variable that repeats them.
    package static var seeded: Self {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("KEYSPAN_SEED=\(SeededGenerator.seedOfRun) repeats the random choices of this run")
            return issue
        }
    }
}
