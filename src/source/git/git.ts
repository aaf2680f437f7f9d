import { OgError } from '../../platform/error.ts'
import { parseDocsPath } from '../select/docs-path.ts'
import type { ConfigPath } from '../../sites/generators.ts'
import { openTitleIndex, titlesFrom, type TitleIndex } from '../../references/title-index.ts'
import { openBlobs, type Blobs } from './git-blobs.ts'
import {
  fetchIncludes,
  fileText,
  gitIncludes,
  includedState,
  type Entries,
} from './git-includes.ts'
import { openGit, type Git, type GitOptions } from './git-command.ts'
import { findLicensePath, licenseEvents, decodeLicense } from '../license-file.ts'
import { fileAddress } from '../page-address.ts'
import { pageEvent } from '../page-event.ts'
import { withoutCredentials } from './repository-url.ts'
import { parseInOrder } from '../page-parser.ts'
import type { SourceTree } from '../api/api-events.ts'
import {
  isReadable,
  leftOutEvents,
  emptySelection,
  selectPaths,
  tooLargeReason,
  type Selection,
} from '../select/select.ts'
import { emptySites, readSites, siteConfigs, siteOfPage, type Sites } from '../sites.ts'
import type { KnownPages, RefKind, SourceEvent } from '../source.ts'
import type { Source } from '../../store/source.ts'

export type GitCheckout = {
  source: Extract<Source, { kind: 'git_repo' }>
  ref: string
  refKind: RefKind
  commit: string
  addressOf?: (path: string) => string
}

/**
 * Yields the pages of a repository at a commit, in path order. Fetches the commit without its
 * files, and then in one request the files selected by `docsPaths` and the selection rules. A
 * server that does not support filters sends all files. Fetches and reads known pages (`before`)
 * only if their blobs have changed. Does not check the commit out: no link, hook, filter or file
 * name of the repository reaches the local disk.
 * @throws OgError if the repository cannot be read, or has none of the docs paths
 */
export async function* gitPages(
  checkout: GitCheckout,
  options: GitOptions & { before?: KnownPages } = {},
): AsyncGenerator<SourceEvent> {
  const { before = new Map() } = options
  await using git = await openGit(checkout.source.url, options)
  const commit = await fetchCommit(git, checkout)
  const entries = await treeOf(git, commit)
  const { docsPaths } = checkout.source
  const paths = [...entries.keys()]
  const selection =
    checkout.source.api === 'only' ? emptySelection : selectPaths(paths, docsPaths, checkout.source)
  yield* missingPaths(checkout, selection.missing)
  yield* leftOutEvents(selection)
  yield* submodules(checkout, entries)
  const isWanted = (path: string) => !isUnchanged(path, { checkout, entries, before })
  const changed = selection.chosen.filter(isWanted)
  const absent = await absentObjects(git, commit)
  const fetch = (paths: readonly string[]) =>
    fetchFiles(
      git,
      absent,
      paths.flatMap((path) => entries.get(path) ?? []),
    )
  // A licence alone is not worth a request.
  const license = changed.length === 0 ? null : findLicensePath(plainFiles(entries))
  const configs = changed.length === 0 ? [] : siteConfigs(plainFiles(entries), selection.chosen)
  const others = [...configs.map(({ path }) => path), ...(license === null ? [] : [license])]
  await fetch([...changed, ...others])
  await using blobs = openBlobs(git)
  const { signal } = options
  const sites =
    configs.length === 0 ? emptySites : await sitesOf(configs, { entries, blobs, fetch, signal })
  const chosen = new Set(selection.chosen.filter((path) => sites.leftOut(path) === null))
  for (const path of selection.chosen) {
    const reason = sites.leftOut(path)
    if (reason !== null) yield { type: 'skipped', path, reason }
  }
  yield* sites.events(chosen)
  if (changed.length > 0) {
    const blob = license === null ? null : await blobs.read(entries.get(license)!.objectId)
    yield* licenseEvents(decodeLicense(blob?.bytes ?? null), before)
  }
  const pages = changed.filter((path) => chosen.has(path))
  if (absent.size > 0) await fetchIncludes(pages, { entries, blobs, fetch, sites, signal })
  const read = (path: string) => fileText(path, { entries, blobs })
  const titles = openTitleIndex({ paths: chosen, read, prepare: fetch })
  const tree = { checkout, entries, chosen, blobs, before, sites, titles, signal }
  for await (const event of parseInOrder(chosen, (path) => fileEvent(path, tree))) {
    signal?.throwIfAborted()
    yield event
  }
  if (checkout.source.apiArchive !== undefined) return
  const { apiEvents } = await import('../api/api-events.ts')
  yield* apiEvents(apiTree(tree, fetch), { source: checkout.source, before, signal })
}

function apiTree(
  { checkout, entries, blobs }: Tree,
  prepare: (paths: readonly string[]) => Promise<void>,
): SourceTree {
  return {
    paths: plainFiles(entries),
    addressOf: (path) => addressOf(path, checkout),
    idOf: (path) => entries.get(path)?.objectId ?? '',
    prepare,
    read: async (path) => (await blobs.read(entries.get(path)!.objectId))?.bytes ?? null,
  }
}

type SitesOptions = Pick<Tree, 'entries' | 'blobs' | 'signal'> & {
  fetch(paths: string[]): Promise<void>
}

async function sitesOf(
  configs: ConfigPath[],
  { fetch, signal, ...repository }: SitesOptions,
): Promise<Sites> {
  const read = async (path: string) => {
    await fetch([path])
    return fileText(path, repository)
  }
  const paths = () => repository.entries.keys()
  return readSites(configs, { read, paths, prepare: fetch, signal })
}

/** Returns the files at a commit that `gitPages` would read. Fetches no files. */
export async function gitSelection(checkout: GitCheckout, options: GitOptions): Promise<Selection> {
  const { source } = checkout
  return selectPaths(await commitPaths(checkout, options), source.docsPaths, source)
}

export async function commitPaths(checkout: GitCheckout, options: GitOptions): Promise<string[]> {
  await using git = await openGit(checkout.source.url, options)
  return [...(await treeOf(git, await fetchCommit(git, checkout))).keys()]
}

/**
 * Returns the bytes of the file that `choose` selects at a commit. Returns null if it selects none,
 * or the file is too large.
 */
export async function gitFile(
  checkout: GitCheckout,
  choose: (paths: readonly string[]) => string | null,
  options: GitOptions,
): Promise<Uint8Array | null> {
  await using git = await openGit(checkout.source.url, options)
  const commit = await fetchCommit(git, checkout)
  const entries = await treeOf(git, commit)
  const path = choose(plainFiles(entries))
  if (path === null) return null
  const entry = entries.get(path)!
  await fetchFiles(git, await absentObjects(git, commit), [entry])
  await using blobs = openBlobs(git)
  return (await blobs.read(entry.objectId))?.bytes ?? null
}

async function treeOf(git: Git, commit: string): Promise<Map<string, TreeEntry>> {
  return parseTree(await git.run(['ls-tree', '-r', '-z', '--full-tree', commit]))
}

function plainFiles(entries: ReadonlyMap<string, TreeEntry>): string[] {
  return [...entries].filter(([, { mode }]) => mode.startsWith('100')).map(([path]) => path)
}

export type TreeEntry = { mode: string; objectId: string }

type Tree = {
  checkout: GitCheckout
  entries: Map<string, TreeEntry>
  chosen: Set<string>
  blobs: Blobs
  before: KnownPages
  sites: Sites
  titles: TitleIndex
  signal: AbortSignal | undefined
}

function isUnchanged(path: string, tree: Pick<Tree, 'checkout' | 'entries' | 'before'>): boolean {
  const { checkout, entries, before } = tree
  const { objectId, mode } = entries.get(path)!
  const url = addressOf(path, checkout)
  return mode !== '120000' && hasSameBlobs(before.get(url), objectId, entries)
}

function addressOf(path: string, checkout: GitCheckout): string {
  return checkout.addressOf?.(path) ?? fileAddress(checkout.source.url, path, checkout)
}

/** Fetches a commit by its ref, or by its id if the ref has moved. Some servers refuse ids. */
async function fetchCommit(git: Git, { ref, refKind, commit }: GitCheckout) {
  const format = commit.length === 64 ? 'sha256' : 'sha1'
  await git.run(['init', '--quiet', '--template=', `--object-format=${format}`])
  const fetch = async (name: string) => {
    await git.run([
      'fetch',
      '--quiet',
      '--depth=1',
      '--filter=blob:none',
      '--no-tags',
      '--no-write-fetch-head',
      'origin',
      `+${name}:refs/og/read`,
    ])
    return (await git.run(['rev-parse', '--verify', 'refs/og/read^{commit}'])).trim()
  }
  const folders = { tag: 'refs/tags/', branch: 'refs/heads/', commit: '' }
  return (await fetch(folders[refKind] + ref)) === commit ? commit : fetch(commit)
}

async function absentObjects(git: Git, commit: string): Promise<Set<string>> {
  const objects = await git.run([
    'rev-list',
    '--objects',
    '--no-object-names',
    '--missing=print',
    commit,
  ])
  return new Set(
    objects
      .split('\n')
      .filter((line) => line.startsWith('?'))
      .map((line) => line.slice(1)),
  )
}

async function fetchFiles(git: Git, absent: Set<string>, needed: TreeEntry[]): Promise<void> {
  const ids = new Set(
    needed.map(({ objectId }) => objectId).filter((objectId) => absent.delete(objectId)),
  )
  if (ids.size === 0) return
  await git.run(
    [
      '-c',
      'fetch.negotiationAlgorithm=noop',
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--filter=blob:none',
      '--stdin',
      'origin',
    ],
    [...ids].join('\n') + '\n',
  )
}

/** Parses `mode type objectId TAB path NUL` for each file, link and submodule. */
function parseTree(output: string): Map<string, TreeEntry> {
  return new Map(
    output
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => {
        const [mode, , objectId] = line.split(/[ \t]/, 3)
        return [line.slice(line.indexOf('\t') + 1), { mode: mode!, objectId: objectId! }]
      }),
  )
}

function* missingPaths({ source, ref }: GitCheckout, missing: string[]): Generator<SourceEvent> {
  const paths = source.docsPaths.filter((path) => path !== '')
  if (missing.length > 0 && missing.length === paths.length) {
    throw new OgError(
      `Cannot find ${missing.join(', ')} in ${withoutCredentials(source.url)} at ${ref}`,
      { hint: 'give a docs path relative to the root of the repository: a folder, file or glob' },
    )
  }
  for (const path of missing) {
    yield { type: 'failed', url: path, reason: `docs path is not in the repository at ${ref}` }
  }
}

function* submodules(
  { source }: GitCheckout,
  entries: Map<string, TreeEntry>,
): Generator<SourceEvent> {
  const paths = [...entries].filter(([, { mode }]) => mode === '160000').map(([path]) => path)
  const wishes = source.docsPaths.map((text) => parseDocsPath(text, paths))
  for (const path of paths) {
    if (wishes.length > 0 && !wishes.some((want) => want.matches(path))) continue
    yield { type: 'skipped', path, reason: 'submodules are not read' }
  }
}

async function fileEvent(path: string, tree: Tree): Promise<SourceEvent> {
  return eventOf(path, tree).catch((error: unknown) => {
    tree.signal?.throwIfAborted() // The abort has ended git too.
    throw error
  })
}

async function eventOf(path: string, tree: Tree): Promise<SourceEvent> {
  const entry = await follow(path, tree)
  if ('reason' in entry) return { type: 'skipped', path, reason: entry.reason }
  const url = addressOf(path, tree.checkout)
  if (hasSameBlobs(tree.before.get(url), entry.objectId, tree.entries)) {
    return { type: 'unchanged', url }
  }
  const blob = await tree.blobs.read(entry.objectId)
  if (!blob) return { type: 'failed', url, reason: 'the repository did not send this file' }
  const { bytes, sizeBytes } = blob
  if (!bytes) return { type: 'skipped', path, reason: tooLargeReason(sizeBytes)! }
  const included = { ...gitIncludes(path, tree), titles: titlesFrom(tree.titles, path) }
  const { site, siteFiles } = siteOfPage(tree.sites, path)
  const event = await pageEvent({ bytes, path, url, site }, { included, signal: tree.signal })
  if (event.type !== 'page') return event
  const includes = [...(event.includes ?? []), ...siteFiles]
  return addBlobIds({ ...event, includes }, entry.objectId, tree.entries)
}

async function follow(path: string, tree: Tree): Promise<TreeEntry | { reason: string }> {
  let at = path
  for (let hops = 0; hops < 10; hops++) {
    const entry = tree.entries.get(at)
    if (!entry) return { reason: 'symbolic link to nothing in the repository' }
    if (entry.mode === '160000') return { reason: 'submodules are not read' }
    if (at !== path && tree.chosen.has(at)) {
      return { reason: `symbolic link to ${at}, which is read itself` }
    }
    if (entry.mode !== '120000') {
      if (isReadable(at)) return entry
      return { reason: `symbolic link to ${at}, which is not documentation` }
    }
    const target = await linkTarget(at, entry, tree)
    if (target === null) return { reason: 'symbolic link that leaves the repository' }
    at = target
  }
  return { reason: 'symbolic links that lead in a circle' }
}

async function linkTarget(path: string, entry: TreeEntry, tree: Tree): Promise<string | null> {
  const blob = await tree.blobs.read(entry.objectId)
  const target = Buffer.from(blob?.bytes ?? []).toString('utf8')
  if (target === '' || target.startsWith('/') || target.includes('\0')) return null
  const parts = path.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

/** Adds a validator to a page event: the ids of the page's blob and of included files. */
export function addBlobIds(event: SourceEvent, objectId: string, entries: Entries): SourceEvent {
  if (event.type !== 'page') return event
  const { includes = [] } = event
  if (includes.length === 0) return { ...event, validator: objectId }
  const included = includes.map((path) => [path, includedState(path, entries)])
  return { ...event, validator: JSON.stringify([objectId, Object.fromEntries(included)]) }
}

/** True if a page with this validator would be parsed from the same blobs. */
export function hasSameBlobs(
  validator: string | undefined,
  objectId: string,
  entries: Entries,
): boolean {
  if (!validator?.startsWith('[')) return validator === objectId
  const [own, included]: [string, Record<string, string>] = JSON.parse(validator)
  return (
    own === objectId &&
    Object.entries(included).every(([path, state]) => includedState(path, entries) === state)
  )
}
