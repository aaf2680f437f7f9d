import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, git, type Files } from '../repository.ts'

type PageEvent = Extract<SourceEvent, { type: 'page' }>

const pathAndText = ({ page }: PageEvent) => `${page.path}: ${page.text.trim()}`

/** Shows an event on one line; `=` is an unchanged page, `-` a skipped path, and `!` a failure. */
export function shownEvent(event: SourceEvent, shownPage = pathAndText): string {
  if (event.type === 'page') return shownPage(event)
  if (event.type === 'skipped') return `-${event.path}: ${event.reason}`
  if (event.type === 'ignored') return `ignored: ${Object.keys(event.extensions)}`
  if (event.type === 'license') return `licence: ${event.text}`
  if (event.type === 'unchanged') return `=${event.url}`
  if (event.type === 'site') return `${event.generator}: ${event.folder} (${event.pages})`
  if (event.type === 'order') return `order: ${event.paths}`
  if (event.type === 'coverage') return `declared: ${event.declared}`
  return `!${event.url}: ${event.reason}`
}

let nRepositories = 0

/** A bare repository that sends single files, and the working tree from which it was made. */
export function bareRepository(folder: string, files: Files) {
  const work = join(folder, `r${nRepositories++}`)
  commit(work, files)
  const bare = publishRepository(work)
  return { url: `file://${bare}`, bare, work }
}

/** Clones a working tree to a bare repository beside it, which replaces an earlier one. */
export function publishRepository(work: string): string {
  const bare = `${work}.git`
  rmSync(bare, { recursive: true, force: true })
  git(work, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
  return bare
}

export type RepositoryRequest = { docsPaths?: string[]; refPath?: string; version?: string | null }

export async function readRepository(
  url: string,
  { docsPaths = [], refPath, version = null }: RepositoryRequest = {},
): Promise<SourceEvent[]> {
  const source: Source = { kind: 'git_repo', url, docsPaths, ...(refPath ? { refPath } : {}) }
  const resolved = await resolveSource(source, { version, today: new Date() })
  return Array.fromAsync(sourcePages(resolved))
}
