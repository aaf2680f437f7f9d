/**
 * A file of a release, in the folder of release.json: its name, size and SHA-256 in hexadecimal.
 */
export type ReleasedFile = { file: string; bytes: number; sha256: string }

/** The content of release.json. */
export type PublishedRelease = {
  format: 1
  name: string
  version: string
  /** The git commit of the build, and the time of that commit (ISO 8601). */
  commit: string
  date: string
  /**
   * Builds by target name. `trial` is the reason why a build is only a trial; null for a release.
   */
  targets: Record<
    string,
    { archives: ReleasedFile[]; executable: ReleasedFile; trial: string | null }
  >
  /** Targets that were not built, each with the reason. */
  missing: Record<string, string>
}
