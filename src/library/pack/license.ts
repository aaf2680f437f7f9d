import { readTextFile } from '../../platform/file/read-file.ts'
import type { Reach } from '../../platform/reach.ts'
import {
  readFolderLicense,
  findLicensePath,
  licenseLimitMb,
  decodeLicense,
} from '../../source/license-file.ts'
import type { Generation } from '../../store/registry.ts'
import type { License } from './write-pack.ts'

/**
 * Reads the licence in the root folder of a generation's source: from a folder on this disk, or
 * from the repository at the indexed commit. Returns null if there is no licence, or if the source
 * is neither a folder nor a repository.
 * @throws OgError if the repository cannot be read
 */
export async function readSourceLicense(
  { source, commit }: Pick<Generation, 'source' | 'commit'>,
  asking: { reach?: Reach | null; signal?: AbortSignal | undefined } = {},
): Promise<License | null> {
  if (source.kind === 'local_path') {
    const text = await readFolderLicense(source.path)
    return text === null ? null : toLicense(text)
  }
  if (source.kind !== 'git_repo' || commit === null) return null
  const { gitFile } = await import('../../source/git/git.ts')
  const checkout = { source, ref: commit, refKind: 'commit', commit } as const
  const bytes = await gitFile(checkout, findLicensePath, asking)
  const text = decodeLicense(bytes)
  return text === null ? null : toLicense(text)
}

/**
 * Reads the user's licence file.
 * @throws the error of the file system
 */
export async function readLicenseFile(path: string): Promise<License> {
  return toLicense(await readTextFile(path, { limitMb: licenseLimitMb }))
}

export function toLicense(text: string): License {
  return { id: recognizeLicense(text), text }
}

/**
 * Recognises a licence by sentences that only its text contains. Returns null for GNU licences,
 * because the SPDX name must say whether later versions apply, and their texts do not.
 */
export function recognizeLicense(text: string): string | null {
  const plain = text
    .slice(0, 100_000)
    .replace(/[\s*#>_=-]+/g, ' ')
    .toLowerCase()
  const matches = sentences.filter(([, ...parts]) => parts.every((part) => plain.includes(part)))
  const [first] = matches
  return matches.length === 1 ? first![0] : null
}

/** BSD-2-Clause is not listed because BSD-3-Clause contains all its sentences. */
const sentences: readonly (readonly [string, ...string[]])[] = [
  ['Apache-2.0', 'apache license', 'version 2.0, january 2004', 'grant of patent license'],
  [
    'MIT',
    'permission is hereby granted, free of charge',
    'the above copyright notice and this permission notice',
  ],
  [
    'BSD-3-Clause',
    'redistribution and use in source and binary forms',
    'be used to endorse or promote products',
  ],
  ['ISC', 'permission to use, copy, modify, and'],
  ['MPL-2.0', 'mozilla public license version 2.0', 'covered software'],
  ['CC-BY-4.0', 'creative commons attribution 4.0 international public license'],
  ['CC-BY-SA-4.0', 'creative commons attribution sharealike 4.0 international public license'],
  ['CC0-1.0', 'cc0 1.0 universal'],
  ['Unlicense', 'this is free and unencumbered software released into the public domain'],
]
