// Pure: the pinned nats-server release, one checksum for each platform that Firm brings it to.
//
// The checksums are those of the release's own SHA256SUMS file; the Linux ones also stand in the Dockerfile of the
// official image of that version. A newer release changes the version and all four lines in one go.

/** The version that is fetched where none is found. */
export const NATS_VERSION = "2.11.8";

/** Where official releases are published. */
export const RELEASES_URL = "https://github.com/nats-io/nats-server/releases/download";

/** `<os>-<arch>` as the release's file names spell it → SHA-256 of the .tar.gz. */
const SHA256: Readonly<Record<string, string>> = {
  "linux-amd64": "397a6deffb5533e160de0cca322bc3dcaec7fb7282d66a3dfa87a9c183152ad1",
  "linux-arm64": "b08936cb1dc0ae7086137bda14c352df64397c4af45ed2b392705c19585aeb84",
  "darwin-amd64": "002c943c1ed39c55cc5e024debfc02685111fcb2b1cbd887aad39ac977037477",
  "darwin-arm64": "23e0c5354c2da385708946a21900c944fcb9a3bbfd02aae27a4ae750dea0b682",
};

/** Node's name of a processor → Go's. */
const GO_ARCH: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** An archive to fetch and what it must be. */
export interface Release {
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
  /** The program's path inside the archive. */
  readonly member: string;
}

/**
 * The archive for a platform; undefined where no checksum is pinned.
 * @param platform as `process.platform`
 * @param arch as `process.arch`
 */
export function releaseFor(
  platform: string,
  arch: string,
  baseUrl: string = RELEASES_URL,
): Release | undefined {
  const key = `${platform}-${GO_ARCH[arch] ?? arch}`;
  const sha256 = SHA256[key];
  if (sha256 === undefined) return undefined;
  const stem = `nats-server-v${NATS_VERSION}-${key}`;
  return {
    version: NATS_VERSION,
    url: `${baseUrl}/v${NATS_VERSION}/${stem}.tar.gz`,
    sha256,
    member: `${stem}/nats-server`,
  };
}
