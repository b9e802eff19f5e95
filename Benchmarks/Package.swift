// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "keyspan-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "keyspan-benchmarks", targets: ["KeyspanBenchmarks"]),
        // The programs of which the start is measured.
        .executable(name: "read-one-value", targets: ["ReadOneValue"]),
        .executable(name: "do-nothing", targets: ["DoNothing"]),
    ],
    dependencies: [
        // Named, because the identity would otherwise be the name of the folder that this is checked out to.
        .package(name: "swift-keyspan", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    ],
    targets: [
        .target(name: "CMeasurement"),
        // Loads the libraries of other stores, so that nothing of them is needed to build this.
        .target(name: "CPeers"),
        .executableTarget(name: "ReadOneValue", dependencies: [.product(name: "Keyspan", package: "swift-keyspan")]),
        .executableTarget(name: "DoNothing"),
        .executableTarget(
            name: "KeyspanBenchmarks",
            dependencies: [
                "CMeasurement",
                "CPeers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Keyspan", package: "swift-keyspan"),
                .product(name: "KeyspanUserDefaults", package: "swift-keyspan"),
            ],
            swiftSettings: [
                // The same language as the library: see its manifest.
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
