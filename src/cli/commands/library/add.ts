import type { Config } from '../../../config/config.ts'
import { loadConfig } from '../../../config/load.ts'
import { userHome } from '../../../config/paths.ts'
import { saveSource } from '../../../library/sources/save-source.ts'
import { listable } from '../../../library/sources/listed-entry.ts'
import type { ListedSource } from '../../../library/sources/source-entry.ts'
import type { Og } from '../../../open.ts'
import { OgError } from '../../../platform/error.ts'
import type { Reach } from '../../../platform/reach.ts'
import { apiChoices, sourcePlace, type Source } from '../../../store/source.ts'
import type { Choice } from '../../../source/choice/choice.ts'
import { resolveSource } from '../../../source/pages.ts'
import { command, type OptionValues } from '../../command.ts'
import type { Context } from '../../context.ts'
import { languageChoices } from '../../search-options.ts'
import { showProgress } from '../../progress.ts'
import { choiceJson, renderChoice } from '../../answer/choice.ts'
import { renderSummary } from '../../answer/summary.ts'
import { addDetached } from './add-detached.ts'
import { addTheRest } from './add-resume.ts'
import { addListed } from '../registry/add-listed.ts'
import { addPack, addPacks, isPackName } from '../registry/add-pack.ts'
import {
  freeName,
  fromElsewhere,
  keptLabel,
  mayReplace,
  replacedAmong,
  replacedText,
  type Replaced,
} from '../../../operation/add/other-source.ts'
import { chosenSource, isGiven, namedBySource, nameOrPath } from './add-source.ts'
import { lockTimeout, minHealth } from './publish-options.ts'
import { jsonText } from '../../../platform/json.ts'

const options = {
  source: {
    type: 'text',
    short: 's',
    placeholder: 'SOURCE',
    doc: 'where the documentation comes from',
  },
  as: {
    type: 'text',
    placeholder: 'NAME',
    doc: 'name of the library, where a source stands in its place',
  },
  version: {
    type: 'text',
    short: 'v',
    placeholder: 'VERSION',
    doc: 'tag, branch or range; for other sources, the name of the version',
    suggest: 'version',
  },
  'docs-path': {
    type: 'texts',
    short: 'd',
    placeholder: 'DOCS_PATH',
    doc: 'folder, file or glob inside the repository, folder or archive; "/" is all of it',
  },
  api: {
    type: 'text',
    placeholder: 'WHAT',
    doc: 'API reference, read from source files: with the guides (all of it), only, or none',
    choices: apiChoices,
  },
  detach: {
    type: 'switch',
    doc: 'return when it can be asked, and go on in the background (og jobs)',
  },
  resume: { type: 'switch', doc: 'embed what earlier runs have not; nothing is fetched' },
  force: { type: 'switch', doc: 'publish although more than a fifth of the pages is lost' },
  'min-health': minHealth,
  yes: {
    type: 'switch',
    short: 'y',
    doc: "replace another source unasked; no answer to what a project's sources ask",
  },
  'base-url': {
    type: 'text',
    placeholder: 'URL',
    doc: 'address under which the pages of a folder or archive are published',
  },
  'lock-timeout': lockTimeout,
  'filter-keyword': {
    type: 'texts',
    short: 'f',
    placeholder: 'WORD',
    doc: 'of a site, only pages with one of these words in their path',
  },
  exclude: {
    type: 'texts',
    placeholder: 'WORD',
    doc: 'of a site, no pages with one of these words in their path',
  },
  language: {
    type: 'texts',
    placeholder: 'LANGUAGE',
    doc: 'only pages in these languages, as en or pt-BR; "*" is all',
    choices: languageChoices,
  },
  'sources-file': {
    type: 'text',
    placeholder: 'PATH',
    doc: 'a sources.json that is asked first for the source',
  },
  below: {
    type: 'text',
    placeholder: 'PATH',
    doc: 'of a site, only the page at this path, as /guide/, and those below it',
  },
  'follow-links': {
    type: 'switch',
    doc: 'of a site, follow links from the address on, whatever lists it has',
  },
  'only-page': { type: 'switch', doc: 'of a site, only the page at the address' },
  'trim-query-params': { type: 'switch', doc: 'of a site, cut ?… off the addresses of pages' },
  'dry-run': { type: 'switch', doc: 'say what would be read, and index nothing' },
  from: {
    type: 'text',
    placeholder: 'WHAT',
    doc: 'pack: only a pack of a registry; source: no pack',
    choices: ['pack', 'source'],
  },
  trust: { type: 'switch', doc: 'add a pack that nobody has signed' },
  json: { type: 'switch', doc: 'print the summary as a JSON object' },
} as const

export const add = command({
  name: 'add',
  summary: 'index the documentation of a library, or bring it up to date',
  details: [
    'LIBRARY is a name, or a source itself: then the library is called after it (a repository ' +
      'and a folder by their own names, a site by its host), or as --as says. A file or folder ' +
      'of the current folder is a source too ("og add notes", "og add kit.zip"), unless a list ' +
      'of sources or a registry has a library of that name: then ./NAME is the folder.',
    'SOURCE is a folder; a git repository (its URL, file:// address, scp form or a bundle); a ' +
      'site, or a part of it below a path; a sitemap, an llms.txt or llms-full.txt, or one page, ' +
      'by their address; or a ZIP or tar.gz archive, on this disk or on the web.',
    'The pages of a site are found by the sitemaps that its robots.txt names; by sitemap.xml, ' +
      'sitemap_index.xml, llms-full.txt or llms.txt in the folder of the address or at the top; ' +
      'else by links, from the address on and below it, at most 2000. What was chosen is said, ' +
      'and remembered. An address that ends as a file does (install.html), or has a query, is ' +
      'one page.',
    'Of a repository on a host the folder of its documentation is found: docs, doc, ' +
      'website/docs, content, guides and their like; else the README, or all of it where it is ' +
      'documentation itself. --docs-path names another, and "/" is all of it. A repository on ' +
      'this disk is read as a folder is: --docs-path names a part of it.',
    'SOURCE may be a package: npm:NAME, pypi:NAME, crates:NAME or go:MODULE, each with @VERSION. ' +
      'Its registry is asked where the settings of npm, pip, cargo and go say. Its documentation ' +
      'is the first of these that can be had: of a crate docs.rs; what Read the Docs packed of ' +
      'that version; a folder in its repository at the tag of that version; the site that its ' +
      'metadata names; the README of the repository; what the registry hands out. Beside a ' +
      'folder the README of the package is read. What metadata names is read on public hosts only.',
    'A version of a git repository is a tag or branch, the beginning of one ("0.115" is the ' +
      'newest 0.115.x) or a range ("^18", ">=2 <3"); without one it is the default branch, kept ' +
      'as "latest". Other sources are kept under the version that is named, else as "latest" if ' +
      'they are on the web, and as "local-YYYY-MM-DD" if they are on this disk.',
    'A folder in a git working tree is read at the version that is named, from the objects of ' +
      'its repository: nothing is checked out. Without a version its files are read as they are, ' +
      'and the version is called after the commit: by its tag, else as v1.0.0-2-g1a2b3c4 (two ' +
      'commits after v1.0.0), with "-dirty" if changes are not committed. Adding or updating it ' +
      'gives that one version its new name.',
    'The source files of a Python package are read too, and its public names become pages of ' +
      'an API reference: of a package from the archive of its registry, of a repository or an ' +
      'archive from the same files, up to 500,000 tokens. --api with reads all of it, --api only ' +
      'reads no guides, --api none no source files. Of a folder source files are read if --api ' +
      'asks for them, from the commit that --version names. Nothing is executed.',
    'Sites are read politely: by their robots.txt, a few pages at once, and as Markdown where ' +
      'they offer that. Only pages on the site of a sitemap are read, and addresses of private ' +
      'networks only where the source itself is there.',
    'Of a page that is there in several languages (en/…, de/…; hreflang) the English one is ' +
      'read; --language chooses others, and what is there in one language only is read anyway.',
    'Without --source the lists of sources are asked, as "og sources" prints them. A source that ' +
      'is named is remembered in ~/.openground/sources.json, and in .openground/sources.json of ' +
      'the current folder where that has a .openground; not with sources.auto_add_local false.',
    'A pack (FILE.ogpack, here, on the web or at oci://HOST/REPOSITORY:TAG#FILE), as "og pack" ' +
      'writes it, is taken as it is: nothing is fetched, and ' +
      'nothing embedded where it was made by the same model. Its pages are those of whoever made ' +
      'it, so a person has to say yes, or to type --trust; --yes is no answer to that.',
    'A name is looked for in the registries first ("og registry add"): NAME@VERSION takes the ' +
      'pack of the version that is meant, NAME that of the newest. --from source builds it all ' +
      'the same.',
    'Adding again reads the source again, embeds what is new, and replaces the version as a ' +
      'whole; until then queries see the old one. The exit code is 1 where some pages failed and ' +
      'the rest was indexed.',
    'A version that was not there is searched by words, names and headings as soon as its pages ' +
      'are cut; meaning follows, first of the opening of every page, then of half, then of all. ' +
      'What ends a run before that loses nothing: --resume goes on where it stopped, without ' +
      'reading the source (of LIBRARY, else of all that is incomplete), and so does adding again.',
  ],
  positionals: {
    library: { doc: 'name of the library, or its source', optional: true, suggest: 'library' },
    packs: { doc: 'more packs, where the first is one', optional: true, variadic: true },
  },
  options,
  examples: [
    'og add fastapi',
    'og add https://github.com/pallets/click',
    'og add ./notes',
    'og add packs/*.ogpack --trust',
    'og add pypi:httpx@0.27',
    'og add fastapi -s https://github.com/fastapi/fastapi -v 0.115.0 -d docs/en/docs',
    'og add handbook -s ./docs --base-url https://example.org/handbook',
    'og add mylib -s git@example.org:team/mylib.git -v "^2"',
    'og add https://docs.example.org/ --dry-run',
    'og add mysite -s https://docs.example.org/sitemap.xml -f /guide/ --language en',
  ],
  async run(context, { library, packs, resume, detach, ...options }) {
    const request = { library, ...options }
    if (resume && detach) return await addDetached(context, { ...request, resume })
    if (resume) return await addTheRest(context, request)
    if (library === null) throw nothingNamed()
    if (packs.length > 0) return await addPacks(context, [library, ...packs], options)
    if (isPackName(library)) return await addPack(context, library, options)
    const config = await loadConfig(context.env)
    const listed = await addListed(context, library, options)
    const typed = await nameOrPath(context, library, { ...options, config, listed })
    return listed ?? (await addSource(context, typed, { options, config, detach }))
  },
})

type TypedOptions = Omit<OptionValues<typeof options>, 'detach' | 'resume'>

type SourceRequest = { options: TypedOptions; config: Config; detach: boolean }

/** Adds a library from the source that was typed or that a list has. @returns the exit code */
async function addSource(
  context: Context,
  typed: string,
  { options: typedOptions, config, detach }: SourceRequest,
): Promise<number> {
  const { terminal } = context
  const { library: named, ...options } = namedBySource(typed, typedOptions, context.env)
  const choice = await chosenSource(context, { library: named, config, options })
  const { source, incomplete, version = options.version } = choice
  const { reach = config.reach, meant = named } = choice
  for (const name of uselessOptions(options, source)) {
    terminal.note('warning', `--${name} has no effect on this source`)
  }
  await using og = await context.openOg({ ...config, reach }, { needsBucket: true })
  const all = await og.list()
  const indexed = options.source === null ? [] : all
  const isNamed = options.as !== null || [named, `${named}@${options.version}`].includes(typed)
  const library = await freeName(terminal, indexed, { typed, library: meant, source, isNamed })
  const adding = {
    library,
    version,
    source,
    incomplete,
    label: keptLabel(all, { library, ...choice }),
  }
  const others = fromElsewhere(indexed, adding)
  const isNews = others.length > 0 || options['dry-run']
  const resolved = isNews && (await resolvedAs(adding, reach))
  const other = resolved ? replacedAmong(others, resolved) : null
  const replaced = other && replacedText(other, source)
  if (options['dry-run'] && resolved) {
    const dry = { ...choice, ...resolved, library, replaces: replaced?.label ?? null }
    await terminal.write(options.json ? jsonText(choiceJson(dry)) : renderChoice(dry))
    return 0
  }
  const chosen = choice.how ?? (library === typed ? null : sourcePlace(source))
  if (chosen !== null && !detach) terminal.note('plain', `${library}: ${chosen}`)
  if (replaced && !(await mayReplace(terminal, { replaced, yes: options.yes }))) return 1
  if (!detach) return await indexSource(context, og, { adding, replaced, options, config })
  const as = library === named ? options.as : library
  const again = options.source === null ? { library } : { library: typed, as }
  return await addDetached(context, { ...typedOptions, ...again, yes: true })
}

type Indexing = Omit<SourceRequest, 'detach'> & {
  adding: Adding & { library: string; incomplete: Choice['incomplete'] }
  replaced: Replaced | null
}

/** Indexes the chosen source, prints the summary, and remembers the source. */
async function indexSource(
  context: Context,
  og: Og,
  { adding, replaced, options, config }: Indexing,
): Promise<number> {
  const { terminal } = context
  const { library, source, incomplete } = adding
  using progress = showProgress(terminal, { label: library })
  const result = await og.add({
    ...adding,
    force: options.force,
    minHealth: options['min-health'],
    lockTimeoutMs: options['lock-timeout'] * 1000,
    onProgress: progress.report,
    signal: context.interruption(),
  })
  progress[Symbol.dispose]()
  // Printed only now, because a failed add replaces nothing.
  if (replaced) terminal.note('warning', `${replaced.label} is replaced: ${replaced.places}`)
  await terminal.write(options.json ? jsonText(result) : renderSummary(result))
  if (source.kind === 'site' && result.pages === 1) {
    terminal.note(
      'warning',
      `${library} is one page: no list of its pages was found, and no ` +
        `links below ${source.url}`,
    )
  }
  // A source that an agent names is not remembered: a source in the user's list opens more.
  if (options.source !== null && config.sources.autoAddLocal && config.reach === null) {
    const added = (await og.list()).find(
      (it) => it.library === result.library && it.version === result.version,
    )
    const source = added && listable(incomplete?.intended ?? added.source)
    if (source) await remember(context, library, source)
  }
  return result.incomplete === null ? 0 : 1
}

type Adding = { source: Source; version: string | null; label: string | undefined }

/** The source with its version settled, under the label that it will have. */
async function resolvedAs({ source, version, label }: Adding, reach: Reach | null) {
  const resolved = await resolveSource(source, { version, today: new Date(), reach })
  return { ...resolved, version: label ?? resolved.version }
}

function nothingNamed(): OgError {
  return new OgError('Missing LIBRARY of "og add"', { hint: 'see "og add --help"' })
}

const siteOptions = ['filter-keyword', 'exclude', 'language', 'trim-query-params', 'below'] as const

/** The options given that are about sites, if the source is not one. */
function uselessOptions(
  options: Record<(typeof siteOptions)[number], string | boolean | readonly string[] | null>,
  source: Source,
) {
  if ('filterKeywords' in source) return []
  return siteOptions.filter(
    (name) => isGiven(options[name]) && (name !== 'language' || source.kind === 'web_page'),
  )
}

/** Where nothing could be saved the library is indexed all the same: that is a warning. */
async function remember({ env, terminal }: Context, library: string, source: ListedSource) {
  const places = { cwd: process.cwd(), home: userHome(env) }
  const { paths, problems } = await saveSource({ library, source, ...places })
  for (const path of paths) terminal.note('plain', `Added source for '${library}' to ${path}`)
  const undo = 'og config set sources.auto_add_local false'
  if (paths.length > 0) terminal.note('hint', `to add none any more: ${undo}`)
  for (const { message } of problems) terminal.note('warning', message)
}
