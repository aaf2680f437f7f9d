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
import { addListed } from '../registry/add-listed.ts'
import { isPackName } from '../../../operation/pack.ts'
import { addPack, addPacks } from '../registry/add-pack.ts'
import { addDetached } from './add-detached.ts'
import { resumeAdds } from './add-resume.ts'
import { publishFaces } from './publish-options.ts'

const fields = fieldOptions(addOperation.input, {
  source: { short: 's', placeholder: 'SOURCE' },
  as: { placeholder: 'NAME' },
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  docs_path: { short: 'd', placeholder: 'DOCS_PATH' },
  api: { placeholder: 'WHAT' },
  force: {},
  ...publishFaces,
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
    'The source files of a package of Python, npm or Go are read too, and its public names ' +
      'become pages of an API reference: of a package from the archive of its registry, of a ' +
      'repository or an archive from the same files, up to 500,000 tokens. --api with reads all ' +
      'of it, --api only reads no guides, --api none no source files. Of a folder source files ' +
      'are read if --api asks for them, from the commit that --version names. Nothing is executed.',
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
    library: { doc: addOperation.input.library.doc, optional: true, suggest: 'library' },
    packs: { doc: 'more packs, where the first is one', optional: true, variadic: true },
  },
  options: {
    ...fields.options,
    detach: {
      type: 'switch',
      doc: 'return when it can be asked, and go on in the background (og jobs)',
    },
    resume: { type: 'switch', doc: 'embed what earlier runs have not; nothing is fetched' },
    yes: {
      type: 'switch',
      short: 'y',
      doc: "replace another source unasked; no answer to what a project's sources ask",
    },
    from: {
      type: 'text',
      placeholder: 'WHAT',
      doc: 'pack: only a pack of a registry; source: no pack',
      choices: ['pack', 'source'],
    },
    trust: { type: 'switch', doc: 'add a pack that nobody has signed' },
    json: { type: 'switch', doc: 'print the summary as a JSON object' },
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
    if (library === null) {
      throw new OgError('Missing LIBRARY of "og add"', { hint: 'see "og add --help"' })
    }
    if (packs.length > 0) return await addPacks(context, [library, ...packs], options)
    if (isPackName(library)) return await addPack(context, library, options)
    const config = await loadConfig(context.env)
    const listed = await addListed(context, library, options)
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

/** Adds a library from its source, here or in the background. @returns the exit code */
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
      // The job in the background prints its choice itself.
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
    terminal.note('hint', 'to add none any more: og config set sources.auto_add_local false')
  }
  if (value.kind === 'stopped') return value.isDeclined ? 1 : jobCode
  const text = value.kind === 'planned' ? renderPlan(value.plan) : renderSummary(value.result)
  await terminal.write(json ? jsonText(addOperation.json(answer)) : text)
  return value.kind === 'planned' || value.result.incomplete === null ? 0 : 1
}
