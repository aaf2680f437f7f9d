import { basename, dirname } from 'node:path'
import { archiveName } from './detect.ts'
import { withoutPageExtension } from '../formats/formats.ts'
import { packageLibrary, parsePackage } from '../version/package-name.ts'
import type { Source } from '../store/source.ts'

/**
 * True if text entered as a library name is a source: a URL, a path that begins with `/`, `./`,
 * `../` or `~/`, `.`, a package such as `npm:zod`, the scp form, or `host.tld/owner/name`.
 * `@scope/name` and single words are names; only `og add` checks whether a folder has that name.
 */
export function looksLikeSource(text: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || parsePackage(text) !== null) return true
  if (/^(?:[/~]|\.{1,2}(?:[/\\]|$))/.test(text)) return true
  if (text.startsWith('@')) return false
  return /^[\w.-]+@[\w.-]+:\S/.test(text) || /^[\w-]+(?:\.[\w-]+)+\/\S/.test(text)
}

const general = new Set(
  (
    'docs doc documentation content contents guide guides manual website site pages src source ' +
    'public html build dist main master latest stable current en sitemap index llms llms-full'
  ).split(' '),
)
/** First labels of host names that say nothing about the documentation's subject. */
const generalHosts = new Set(
  'www docs doc documentation api dev developer developers help learn'.split(' '),
)
/** Hosts on which each project has its own name. */
const projectHosts = /^([\w-]+)\.(?:readthedocs\.io|rtfd\.io|netlify\.app|vercel\.app|pages\.dev)$/

/**
 * Derives a library name from its source: the name of the repository, package, folder (or its
 * parent if it is called `docs` or similar), archive file (without its version), host, or project
 * on a host of many projects. Returns null if there is no usable name.
 */
export function nameOfSource(source: Source): string | null {
  switch (source.kind) {
    case 'local_path':
    case 'raw_pages':
      return ofPath(source.path)
    case 'git_repo':
      return ofRepository(source.url)
    case 'package':
      return packageLibrary(parsePackage(source.url)!)
    case 'archive':
      return ofArchive(source.url)
    default:
      return ofSite(new URL(source.url))
  }
}

function ofPath(path: string): string | null {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const name = plainName(withoutPageExtension(basename(at)))
    if (name !== null && !general.has(name)) return name
  }
  return null
}

function ofRepository(url: string): string | null {
  const path = url.replace(/[/\\]+$/, '').replace(/\.(?:git|bundle)$/i, '')
  return plainName(path.split(/[/\\:]/).at(-1)!)
}

/** `lamp-docs-1.2.0.tar.gz` becomes `lamp-docs`. */
function ofArchive(url: string): string | null {
  const file = url
    .replace(/[?#].*$/, '')
    .split('/')
    .at(-1)!
  const stem = file.replace(archiveName, '').replace(/[-_.]v?\d+(?:\.\d+)*$/i, '')
  const name = plainName(stem)
  return name !== null && !general.has(name) ? name : null
}

function ofSite({ hostname, pathname }: URL): string | null {
  const project = projectHosts.exec(hostname)?.[1]
  if (project !== undefined) return plainName(project)
  const first = pathname
    .split('/')
    .filter((part) => part !== '')
    .map((part) => plainName(part.replace(/\.\w+$/, '')))
    .find((name) => name && !general.has(name))
  if (/\.(?:github|gitlab)\.io$/.test(hostname)) return first ?? plainName(hostname.split('.')[0]!)
  if (/^[\d.]+$|^\[/.test(hostname) || !hostname.includes('.')) return first ?? null
  const labels = hostname
    .split('.')
    .slice(0, -1)
    .filter((label) => !generalHosts.has(label))
  return plainName(labels[0] ?? '')
}

/** Returns a valid lower-case library name, or null if it is empty or too long. */
function plainName(text: string): string | null {
  const name = text
    .toLowerCase()
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  return name === '' || name.length > 100 ? null : name
}
