import { loadConfig } from '../../../config/load.ts'
import type { Config } from '../../../config/config.ts'
import { userHome } from '../../../config/paths.ts'
import { add as addOperation, type AddContext } from '../../../operation/add/add.ts'
import type { AddInput } from '../../../operation/add/add-fields.ts'
import { nameOrPath } from '../../../operation/add/choose-source.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { printNotes } from '../../answer/notes.ts'
import { renderPlan, renderSummary } from '../../answer/summary.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { fieldOptions } from '../../operation-options.ts'
import { showProgress, type ProgressLine } from '../../progress.ts'
import { languageChoices } from '../../search-options.ts'
import { addFromRegistry } from '../registry/add-from-registry.ts'
import { looksLikePack } from '../../../operation/pack.ts'
import { addPack, addPacks } from '../registry/add-pack.ts'
import { addDetached } from './add-detached.ts'
import { resumeAdds } from './add-resume.ts'
import { publishOptionForms } from './publish-options.ts'

const fields = fieldOptions(addOperation.input, {
  source: { short: 's', placeholder: 'SOURCE' },
  as: { placeholder: 'NAME' },
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  docs_path: { short: 'd', placeholder: 'DOCS_PATH' },
  api: { placeholder: 'WHAT' },
  force: {},
  ...publishOptionForms,
  base_url: { placeholder: 'URL' },
  filter_keyword: { short: 'f', placeholder: 'WORD' },
  exclude: { placeholder: 'WORD' },
  language: { placeholder: 'LANGUAGE', choices: languageChoices },
  sources_file: { placeholder: 'PATH' },
  below: { placeholder: 'PATH' },
  follow_links: {},
  only_page: {},
  trim_query_params: {},
  dry_run: {},
})

export const add = command({
  name: 'add',
  summary: addOperation.summary,
  details: [
    'LIBRARY is a name or a source. A source gives the library its name: the name of the ' +
      'repository or folder, the host of a site, or the name after --as. A file or folder in ' +
      'the current folder is also a source ("og add notes", "og add kit.zip"). If a list of ' +
      'sources or a registry has a library of that name, write ./NAME for the folder.',
    'SOURCE is a folder; a git repository (URL, file:// address, scp form or bundle); a ' +
      'site, or the part of it below a path; the URL of a sitemap, an llms.txt, an ' +
      'llms-full.txt or one page; or a ZIP or tar.gz archive, on this disk or on the web.',
    'og finds the pages of a site by the sitemaps in its robots.txt, or by sitemap.xml, ' +
      'sitemap_index.xml, llms-full.txt or llms.txt in the folder of the URL or at the root. ' +
      'Otherwise it follows links to pages below the URL, at most 2000. It prints and stores ' +
      'its choice. A URL that ends with a file name (install.html) or has a query is one ' +
      'page.',
    'In a remote repository og detects the documentation folder: docs, doc, website/docs, ' +
      'content, guides or similar, else the README, or the whole repository if it consists ' +
      'of documentation. --docs-path selects another folder; "/" selects the whole ' +
      'repository. A repository on this disk is read like a folder: --docs-path selects a ' +
      'part of it.',
    'SOURCE can be a package: npm:NAME, pypi:NAME, crates:NAME or go:MODULE, each with an ' +
      'optional @VERSION. og asks the registry in the settings of npm, pip, cargo or go. It ' +
      'uses the first documentation that it finds: docs.rs for crates, the archive of Read ' +
      'the Docs for that version, a folder in the repository at the tag of that version, the ' +
      'site in the metadata, the README of the repository, or the package archive. It reads ' +
      'the README of the package in addition to a folder. URLs in package metadata are read ' +
      'only from public hosts.',
    'The version of a git repository is a tag or branch, the beginning of one ("0.115" is ' +
      'the newest 0.115.x) or a range ("^18", ">=2 <3"). The default is the default branch, ' +
      'stored as "latest". Other sources are stored as the given version, by default as ' +
      '"latest" if they are on the web and as "local-YYYY-MM-DD" if they are on this disk.',
    'With a version, a folder in a git working tree is read from the objects of its ' +
      'repository, without a checkout. Without a version, its files are read as they are, ' +
      'and the commit gives the version its name: the tag, or v1.0.0-2-g1a2b3c4 (two commits ' +
      'after v1.0.0), with "-dirty" if there are uncommitted changes. Adding or updating the ' +
      'folder again renames that version.',
    'The source files of Python, npm, Rust, Java and Go packages are read too. Their public ' +
      'names become pages of an API reference, up to 500,000 tokens. The files come from the ' +
      'package in the registry, or from the given repository, archive or folder. ' +
      '"--api with" removes the limit, "--api only" reads no guides, and "--api none" reads no ' +
      'source files. No code is executed.',
    'og obeys the robots.txt of a site, fetches a few pages at a time, and prefers Markdown ' +
      'if the site offers it. From a sitemap it reads only pages of the same site. It reads ' +
      'addresses in private networks only if the source itself is in one.',
    'If a page exists in several languages (en/…, de/…; hreflang), og reads the English one. ' +
      '--language selects others. Pages in a single language are always read.',
    'Without --source, og looks the name up in the lists that "og sources" prints. It stores ' +
      'a given source in your sources.json, and in .openground/sources.json of the ' +
      'current folder if .openground exists there, unless sources.auto_add_local is false.',
    'A pack (FILE.ogpack, on this disk or on the web), ' +
      'written by "og pack", is added without fetching pages, and without embedding if the ' +
      'same model made it. Its pages are the work of whoever made it, so a person has to ' +
      'confirm it or pass --trust; --yes is not enough.',
    'A name is first looked up in the registries of "og registry add": NAME@VERSION adds the ' +
      'pack of that version, NAME the pack of the newest version. "--from source" indexes ' +
      'the source instead.',
    'Adding a library again reads the source again, embeds new chunks and replaces the whole ' +
      'version at once. Until then, searches use the old one. The exit code is 1 if some ' +
      'pages failed and the others were indexed.',
    'A new version can be searched by words, names and headings as soon as its pages are ' +
      'split into chunks. Embeddings follow: first the opening of every page, then half of ' +
      'the chunks, then all. If the run is interrupted, nothing is lost: "--resume" ' +
      'continues it without reading the source (for LIBRARY, or for all incomplete ' +
      'versions), and so does adding again.',
  ],
  positionals: {
    library: { doc: addOperation.input.library.doc, optional: true, suggest: 'library' },
    packs: { doc: 'more packs, if LIBRARY is a pack', optional: true, variadic: true },
  },
  options: {
    ...fields.options,
    detach: {
      type: 'switch',
      doc: 'return when it can be searched and continue in the background (og jobs)',
    },
    resume: { type: 'switch', doc: 'embed the remaining chunks of earlier runs without fetching' },
    yes: {
      type: 'switch',
      short: 'y',
      doc: 'replace another source without asking; does not trust project sources',
    },
    from: {
      type: 'text',
      placeholder: 'WHAT',
      doc: 'pack: only packs of a registry; source: no packs',
      choices: ['pack', 'source'],
    },
    trust: { type: 'switch', doc: 'add an unsigned pack' },
    json: { type: 'switch', doc: 'print the summary as a JSON object' },
  },
  brief: {
    details: [
      'LIBRARY is a name that "og sources" lists, or a source: a folder or file; a git ' +
        'repository; a site, or a part of it; one page, sitemap.xml or llms.txt; a ZIP or ' +
        'tar.gz archive; a package (npm:NAME, pypi:NAME, crates:NAME, go:MODULE, with an ' +
        'optional @VERSION); or a pack (FILE.ogpack).',
      'og finds the documentation in a repository, the pages of a site, and the API reference ' +
        'in the source files of a package. --dry-run prints its choice.',
      'VERSION of a repository is a tag or branch, the beginning of one ("0.115" is the newest ' +
        '0.115.x) or a range ("^18"). The default is the default branch.',
      'Adding a library again replaces its version. --resume continues an interrupted run. The ' +
        'exit code is 1 if some pages failed.',
    ],
    options: [
      ...['source', 'as', 'version', 'docs-path', 'api', 'language', 'dry-run'],
      ...['detach', 'resume', 'yes', 'trust', 'json'],
    ] as const,
  },
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
    if (resume) return await resumeAdds(context, { library, detach, ...options })
    if (library === null || library.trim() === '') {
      throw new OgError('Missing LIBRARY of "og add"', { hint: 'see "og add --help"' })
    }
    if (packs.length > 0) return await addPacks(context, [library, ...packs], options)
    if (looksLikePack(library)) return await addPack(context, library, options)
    const config = await loadConfig(context.env)
    const listed = await addFromRegistry(context, library, options)
    const input = { library, ...fields.input(options) }
    const choosing = choosingContext(context, config)
    const named = await nameOrPath(choosing, library, { ...input, isListed: listed !== null })
    if (listed !== null) return listed
    const { yes, json } = options
    const adding = { choosing, config, detach, yes, json }
    return await addSource(context, { ...input, library: named }, adding)
  },
})

type Choosing = Pick<AddContext, 'config' | 'surroundings' | 'dialog' | 'signal'>

function choosingContext({ env, terminal, interruption }: Context, config: Config): Choosing {
  const surroundings = { env, cwd: process.cwd(), home: userHome(env) }
  return { config, surroundings, dialog: terminal, signal: interruption() }
}

type AddOptions = {
  choosing: Choosing
  config: Config
  detach: boolean
  yes: boolean
  json: boolean
}

async function addSource(
  context: Context,
  input: AddInput,
  { choosing, config, detach, yes, json }: AddOptions,
): Promise<number> {
  const { terminal } = context
  let progress: ProgressLine | null = null
  let jobCode = 0
  const adding: AddContext = {
    ...choosing,
    openOg: (reach) => context.openOg({ ...config, reach }, { needsBucket: true }),
    replacesUnasked: yes,
    onNote(note) {
      progress?.[Symbol.dispose]()
      // The background job prints its choice itself.
      if (!detach || note.kind !== 'source-chosen') printNotes(terminal, [note])
    },
    async onPlan({ library, input }) {
      if (detach) jobCode = await addDetached(context, input, { options: ['--yes'], json })
      else progress = showProgress(terminal, { label: library })
      return !detach
    },
    onProgress: (now, library) => progress?.report(now, library),
  }
  const answer = await addOperation.run(adding, input).finally(() => progress?.[Symbol.dispose]())
  const { value, notes } = answer
  if (notes.some(({ kind }) => kind === 'source-saved')) {
    terminal.note('hint', 'to keep no list of sources: og config set sources.auto_add_local false')
  }
  if (value.kind === 'stopped') return value.isDeclined ? 1 : jobCode
  const text = value.kind === 'planned' ? renderPlan(value.plan) : renderSummary(value.result)
  await terminal.write(json ? jsonText(addOperation.json(answer)) : text)
  return value.kind === 'planned' || value.result.incomplete === null ? 0 : 1
}
