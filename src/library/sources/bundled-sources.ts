import places from '../../../data/sources.json'
import type { SourceEntry } from './source-entry.ts'

/**
 * Returns the libraries with documentation in a git repository: its address, and the folders and
 * files with the English documentation. scripts/build/check-sources.ts checks that the repositories
 * have them.
 */
export function bundledSources(): Map<string, SourceEntry> {
  const entry = ([place, ...docsPaths]: readonly string[]): SourceEntry => {
    const url = `https://${place}.git`
    return { type: 'git_repo', repo_url: url, docs_paths: docsPaths, languages: ['en'] }
  }
  return new Map(Object.entries(places).map(([library, place]) => [library, entry(place)]))
}
