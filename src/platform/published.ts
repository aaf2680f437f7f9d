import { z } from 'zod'

const releasedFile = z.object({ file: z.string(), bytes: z.number(), sha256: z.string() })

/** The content of release.json. */
export const publishedRelease = z.object({
  format: z.literal(1),
  name: z.string(),
  version: z.string(),
  /** The git commit of the build, and the time of that commit (ISO 8601). */
  commit: z.string(),
  date: z.string(),
  /** Builds by target name. `trial` says why a build is only a trial; null for a release. */
  targets: z.record(
    z.string(),
    z.object({
      archives: z.array(releasedFile),
      executable: releasedFile,
      trial: z.string().nullable(),
    }),
  ),
  /** Targets that were not built, and the reason for each. */
  missing: z.record(z.string(), z.string()),
})

/** A file in the folder of release.json: its name, size and SHA-256 in hexadecimal. */
export type ReleasedFile = z.infer<typeof releasedFile>
export type PublishedRelease = z.infer<typeof publishedRelease>
