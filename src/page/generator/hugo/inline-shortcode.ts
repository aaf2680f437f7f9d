import { toTitle } from '../../../document/block-lines.ts'
import type { PageSite } from '../generator.ts'
import type { Shortcode } from './shortcode.ts'

type Site = Pick<PageSite, 'variables'>

/**
 * The text of a shortcode without content: a target, a value or a label; '' if it shows nothing.
 * Null if its name is unknown and none of its arguments is text.
 */
export function inlineShortcodeText(one: Shortcode, site: Site): string | null {
  const { name, args } = one
  const run = Object.hasOwn(texts, name) ? texts[name] : undefined
  if (run !== undefined) return run(args, site)
  const keys = ['text', 'title', 'label', 'alt', 'caption', 'description']
  return keys.map((key) => args.get(key)).find(Boolean) ?? null
}

type Args = ReadonlyMap<string, string>

const texts: Record<string, (args: Args, site: Site) => string> = {
  ref: target,
  relref: target,
  link: target,
  rellink: target,
  siteurl: () => '',
  param: (args, { variables }) => parameter(args.get('0') ?? args.get('name') ?? '', variables),
  skew,
  latest: latest,
  'latest-version': latest,
  'latest-semver': latest,
  'current-version': latest,
  'version-name': latest,
  glossary_tooltip: (args) => args.get('text') ?? (args.get('term_id') ?? '').replaceAll('-', ' '),
  'feature-state': featureState,
  'api-reference': (args) =>
    args.get('text') ?? args.get('anchor') ?? (args.get('page') ?? '').replace(/^.*\//, ''),
  heading: (args) => headingOf(args.get('0') ?? ''),
  figure: picture,
  image: picture,
  img: picture,
  imgproc: picture,
  youtube: (args) => video('https://www.youtube.com/watch?v=', args),
  vimeo: (args) => video('https://vimeo.com/', args),
  'new-in': (args) => `**New in ${args.get('0') ?? args.get('version') ?? ''}**`,
  'deprecated-in': (args) => `**Deprecated in ${args.get('0') ?? args.get('version') ?? ''}**`,
  card: labelled,
  button: labelled,
  'image-card': labelled,
  download: labelled,
  video: labelled,
  'video-link': labelled,
  'card-link': labelled,
  'nav-link': labelled,
  icon: () => '',
  'inline-icon': () => '',
  badge: (args) => args.get('text') ?? args.get('0') ?? '',
  kbd: (args) => args.get('0') ?? '',
  ghissue: (args) => `#${args.get('0') ?? ''}`,
}

/** The target of a reference, which may lack folders because Hugo resolves it by name. */
function target(args: Args): string {
  return args.get('0') ?? args.get('path') ?? ''
}

function parameter(name: string, variables: ReadonlyMap<string, string>): string {
  const key = name.replace(/^\.?(?:site\.)?params\./i, '').toLowerCase()
  return variables.get(key) ?? ''
}

/** The release that a site documents. */
function latest(_: Args, { variables }: Site): string {
  return parameter('version', variables) || parameter('latest', variables)
}

/** Releases relative to the documented one, as Kubernetes counts them: `v1.30`, minus one. */
function skew(args: Args, site: Site): string {
  const release = latest(args, site).replace(/^v/, '')
  const [, major = '', minor = ''] = /^(\d+)\.(\d+)/.exec(release) ?? []
  if (major === '') return release
  const kind = args.get('0') ?? ''
  const step = Number(args.get('1') ?? (/prev/i.test(kind) ? -1 : /next/i.test(kind) ? 1 : 0))
  return `${major}.${Number(minor) + (Number.isFinite(step) ? step : 0)}`
}

function featureState(args: Args): string {
  const version = args.get('for_k8s_version')
  const state = args.get('state')
  const gate = args.get('feature_gate_name')
  const said = [
    version && `Kubernetes ${version}`,
    gate && `feature gate \`${gate}\``,
    state && `[${state}]`,
  ]
  return `**Feature state:** ${said.filter(Boolean).join(' ')}`
}

/** Headings shared by the pages of Kubernetes. */
const headings: Record<string, string> = {
  prerequisites: 'Before you begin',
  whatsnext: "What's next",
  objectives: 'Objectives',
  cleanup: 'Cleaning up',
  synopsis: 'Synopsis',
  options: 'Options',
  seealso: 'See Also',
}

function picture(args: Args): string {
  const source = args.get('src') ?? args.get('filename') ?? args.get('link') ?? args.get('0') ?? ''
  const words = args.get('alt') ?? args.get('title') ?? args.get('caption') ?? ''
  const caption = args.get('caption') ?? ''
  const shown =
    source === '' ? words : `![${words.replace(/[[\]]/g, '')}](${source.replaceAll(' ', '%20')})`
  return caption === '' || caption === words ? shown : `${shown} ${caption}`
}

function video(base: string, args: Args): string {
  const id = args.get('id') ?? args.get('0') ?? ''
  const title = args.get('title') ?? 'Video'
  return /^[\w-]+$/.test(id) ? `[${title}](${base}${id})` : ''
}

function labelled(args: Args): string {
  const keys = ['title', 'text', 'label', 'name', 'alt']
  const words = keys.map((key) => args.get(key)).find(Boolean) ?? ''
  const about = args.get('subtitle') ?? args.get('description') ?? ''
  const link = ['url', 'href', 'link', 'src', '0'].map((key) => args.get(key)).find(Boolean) ?? ''
  const shown = words === '' ? link : link === '' ? words : `[${words}](${link})`
  return about === '' ? shown : `${shown}: ${about}`
}

function headingOf(name: string): string {
  return Object.hasOwn(headings, name) ? headings[name]! : toTitle(name)
}
