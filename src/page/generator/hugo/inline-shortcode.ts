import { toTitle } from '../../../document/block-lines.ts'
import { runTemplate, templateOf } from './template.ts'
import type { Shortcode } from './shortcode.ts'

/** The parameters of the page and its site, and templates of shortcodes. */
export type Parameters = { variables: Pick<ReadonlyMap<string, string>, 'get'> }
type Site = Parameters
type Args = ReadonlyMap<string, string>

/**
 * The text of a shortcode without content: a target, a value or a label; '' if it shows nothing.
 * Null if its name is unknown and none of its arguments is text.
 */
export function inlineShortcodeText({ name, args }: Shortcode, site: Site): string | null {
  const shown = Object.hasOwn(texts, name) ? texts[name]! : null
  if (typeof shown === 'function') return shown(args, site)
  if (shown === null) return templateText({ name, args }, site) ?? (first(args, textKeys) || null)
  const value = (_: string, sign: string, keys: string) =>
    sign === '' ? first(args, keys) : first(site.variables, keys)
  return shown.replace(/\{(\$?)([\w|]+)\}/g, value).trim()
}

const textKeys = 'text|title|label|alt|caption|description'

/** Whether the text of a shortcode follows from its name. */
export function knownShortcode(name: string): boolean {
  return Object.hasOwn(texts, name)
}

function templateText({ name, args }: Pick<Shortcode, 'name' | 'args'>, { variables }: Site) {
  const template = variables.get(templateOf + name)
  const parameter = (key: string) => variables.get(key.toLowerCase())
  return template === undefined ? null : runTemplate(template, { args, parameter })
}

/** The first of these arguments that is not empty. */
function first(args: Site['variables'], keys: string): string {
  return (
    keys
      .split('|')
      .map((key) => args.get(key))
      .find(Boolean) ?? ''
  )
}

const latest = '{$version|latest}'

/** `{a|b}` is the first of these arguments, `{$a}` a parameter of the site. */
const texts: Record<string, string | ((args: Args, site: Site) => string | null)> = {
  // Targets may lack folders, because Hugo resolves them by name.
  ref: '{0|path}',
  relref: '{0|path}',
  link: '{0|path}',
  rellink: '{0|path}',
  siteurl: '',
  icon: '',
  'inline-icon': '',
  latest,
  'latest-version': latest,
  'latest-semver': latest,
  'current-version': latest,
  'version-name': latest,
  glossary_tooltip: '{text|term_id}',
  'feature-state': '**Feature state:** {for_k8s_version|feature_gate_name} {state}',
  'api-reference': '{text|anchor|page}',
  'new-in': '**New in {0|version}**',
  'deprecated-in': '**Deprecated in {0|version}**',
  badge: '{text|0}',
  kbd: '{0}',
  param: (args, { variables }) => {
    const name = first(args, '0|name').replace(/^\.?(?:site\.)?params\./i, '')
    return variables.get(name.toLowerCase()) ?? null
  },
  heading: (args) => toTitle(first(args, '0')),
  figure: picture,
  image: picture,
  img: picture,
  imgproc: picture,
  youtube: (args) => video('https://www.youtube.com/watch?v=', args),
  vimeo: (args) => video('https://vimeo.com/', args),
  card: labelled,
  button: labelled,
  'image-card': labelled,
  download: labelled,
  video: labelled,
  'video-link': labelled,
  'card-link': labelled,
  'nav-link': labelled,
}

function picture(args: Args): string {
  const source = first(args, 'src|filename|link|0')
  const [words, caption] = [first(args, 'alt|title|caption'), first(args, 'caption')]
  const shown =
    source === '' ? words : `![${words.replace(/[[\]]/g, '')}](${source.replaceAll(' ', '%20')})`
  return caption === '' || caption === words ? shown : `${shown} ${caption}`
}

function video(base: string, args: Args): string {
  const id = first(args, 'id|0')
  return /^[\w-]+$/.test(id) ? `[${first(args, 'title') || 'Video'}](${base}${id})` : ''
}

function labelled(args: Args): string {
  const words = first(args, 'title|text|label|name|alt')
  const link = first(args, 'url|href|link|src|0')
  const about = first(args, 'subtitle|description')
  const shown = words === '' || link === '' ? words || link : `[${words}](${link})`
  return about === '' ? shown : `${shown}: ${about}`
}
