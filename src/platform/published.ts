/** A file of a release: its name beside release.json, its size and hex SHA-256. */
export type ReleasedFile = { file: string; bytes: number; sha256: string }

/** What release.json holds. */
export type PublishedRelease = {
  format: 1
  name: string
  version: string
  /** The git commit that it was built from, and that commit's time (ISO 8601). */
  commit: string
  date: string
  /** By the target's name. `trial`: why this one is no release proper, or null. */
  targets: Record<string, {
    archives: ReleasedFile[]
    executable: ReleasedFile
    trial: string | null
  }>
  /** Targets that were not built, and why. */
  missing: Record<string, string>
}
