// swift-tools-version: 6.2

import PackageDescription

/// The same language as the library: see its manifest.
let librarySettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "keyspan-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "keyspan-benchmarks", targets: ["KeyspanBenchmarks"]),
        .executable(name: "keyspan-cluster-benchmarks", targets: ["KeyspanClusterBenchmarks"]),
        .executable(name: "keyspan-remote-benchmarks", targets: ["KeyspanRemoteBenchmarks"]),
        // The programs of which the start is measured.
        .executable(name: "read-one-value", targets: ["ReadOneValue"]),
        .executable(name: "do-nothing", targets: ["DoNothing"]),
    ],
    // Without the traits, gRPC and HTTP are neither fetched nor built, and the programs that need them do nothing.
    traits: [
        .trait(name: "Etcd", description: "The benchmarks of the cluster store, with gRPC"),
        .trait(name: "Remote", description: "The benchmarks of remote settings, with HTTP"),
    ],
    dependencies: [
        // Named, because the identity would otherwise be the name of the folder that this is checked out to.
        .package(
            name: "swift-keyspan",
            path: "..",
            traits: [
                .trait(name: "Etcd", condition: .when(traits: ["Etcd"])),
                .trait(name: "RemoteHTTPClient", condition: .when(traits: ["Remote"])),
            ]
        ),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        // The packages of the client that the floors are measured with; the manifest of the library says more.
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.0"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.0"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.40.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.38.0", traits: []),
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
            swiftSettings: librarySettings
        ),
        // Its folders Client, Cluster and Measuring are links to sources of the library, its tests and the other benchmarks, so that
        // the floors use the same client.
        .executableTarget(
            name: "KeyspanClusterBenchmarks",
            dependencies: [
                "CMeasurement",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "KeyspanCore", package: "swift-keyspan"),
                .product(name: "KeyspanEtcd", package: "swift-keyspan", condition: .when(traits: ["Etcd"])),
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Etcd"])),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix",
                    package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["Etcd"])
                ),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["Etcd"])),
                .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Etcd"])),
            ],
            exclude: ["Client/Protocol/etcd.proto", "Client/Protocol/generate"],
            // Without MemberImportVisibility: beside the C modules of NIO, the compiler takes `timespec` for CoreFoundation's.
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
        // Its folder Measuring and some of its fixtures are links to those of the other benchmarks.
        .executableTarget(
            name: "KeyspanRemoteBenchmarks",
            dependencies: [
                "CMeasurement",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "KeyspanCore", package: "swift-keyspan"),
                .product(name: "KeyspanRemote", package: "swift-keyspan", condition: .when(traits: ["Remote"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Remote"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Remote"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Remote"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Remote"])),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
