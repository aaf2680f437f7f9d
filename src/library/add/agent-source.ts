import { isAbsolute, relative, sep } from 'node:path'
import { openAddressRule, type Lookup } from '../../platform/web/address-rule.ts'
import { OgError } from '../../platform/error.ts'
import { NetworkError } from '../../platform/web/http.ts'
import { isProxied } from '../../platform/web/proxy.ts'
import type { Reach } from '../../platform/reach.ts'
import { beginsWithForge } from '../../source/git/address.ts'
import { detectSource, resolveInputPath, type DetectOptions } from '../../source/detect.ts'
import { openGuide } from '../../source/git/git-route.ts'
import { isOnDisk, isScpForm } from '../../source/git/repository-url.ts'
import { sourcePlace, type Source } from '../../store/source.ts'
import { isOutside, localPath } from '../sources/source-trust.ts'

type Naming = DetectOptions & {
  reach: Reach
  /** What the network is; tests have their own. */
  lookup?: Lookup
}

/** The source that an agent names. @throws OgError where it may not, or where it is none */
export async function namedByAgent(typed: string, options: Naming): Promise<Source> {
  refuseTyped(typed, options)
  const { source } = detectSource(typed, options)
  await checkNamed(source, options.reach, options.lookup)
  return source
}

/**
 * Refuses what an agent, or the sources.json of a project, may not name: hosts that are not public
 * and were not allowed, ssh and git:// to any other host, folders and archives outside the
 * project, and repositories on this disk.
 */
export async function checkNamed(source: Source, reach: Reach, lookup?: Lookup): Promise<void> {
  if (source.kind === 'raw_pages') throw noFolder(source.path, reach)
  const path = localPath(source)
  if (path !== null) {
    const isInside = reach.folder !== null && !(await isOutside(path, reach.folder))
    if (!isInside) throw noFolder(path, reach)
    return
  }
  if (isOnDisk(sourcePlace(source))) throw noRepository(sourcePlace(source))
  await checkHost(source, reach, lookup)
}

/**
 * Refuses a host that an agent may not reach, also of a source that a person once named. What is
 * on this disk is on no host.
 */
export async function checkHost(source: Source, reach: Reach, lookup?: Lookup): Promise<void> {
  // Its registry is where the user's settings say; what that names is checked when it is read.
  if (source.kind === 'package') return
  const place = sourcePlace(source)
  if ('path' in source || isOnDisk(place)) return
  const isKnownProxied = (url: URL) => isProxied(url, process.env)
  const rule = openAddressRule({ reach, lookup, isProxied: isKnownProxied })
  const check =
    source.kind === 'git_repo'
      ? openGuide(place, { reach, lookup }, async () => null).first()
      : rule.addresses(new URL(place))
  // A name that is unknown is said by who wants to read from there.
  await check.catch((error) => {
    if (!(error instanceof NetworkError)) throw error
  })
}

/**
 * What is refused by its words alone: to look whether a path exists tells an agent something, and
 * on some systems opens a connection (`\\host\share`).
 */
function refuseTyped(typed: string, { reach, cwd, home }: Naming): void {
  if (/^file:/i.test(typed)) throw noRepository(typed)
  if (/^[a-z0-9+.-]+:(:|\/\/)/i.test(typed)) return
  const { folder } = reach
  const mayBeHost = typed.startsWith('-') || beginsWithForge(typed) || isScpForm(typed)
  const isOut = leaves(folder ?? cwd, resolveInputPath(typed, { cwd, home }))
  if (isOut || (folder === null && !mayBeHost)) throw noFolder(typed, reach)
}

function leaves(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)
}

function noFolder(path: string, { folder }: Reach): OgError {
  const which = folder === null ? 'no folder or file here' : `only what lies in ${folder}`
  return new OgError(`Cannot use ${JSON.stringify(path)} as a source: an agent may name ${which}`, {
    hint: 'a person can index it: og add NAME --source PATH',
  })
}

function noRepository(url: string): OgError {
  const why = 'an agent may name no repository on this disk'
  return new OgError(`Cannot use ${JSON.stringify(url)} as a source: ${why}`, {
    hint: 'a person can index it: og add NAME --source PATH',
  })
}
