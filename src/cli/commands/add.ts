import { loadConfig } from '../../config/load.ts'
import { userHome } from '../../config/paths.ts'
import { OgError } from '../../platform/error.ts'
import { detectSource } from '../../source/detect.ts'
import { command } from '../command.ts'
import { showProgress } from '../progress.ts'
import { renderSummary } from '../summary.ts'

export const add = command({
  name: 'add',
  summary: 'index the documentation of a library, or bring it up to date',
  details: [
    'SOURCE is a folder, or a git repository: its URL, file:// address, scp form or a bundle. ' +
      'A version of a git repository is a tag or branch, or the beginning of one ("0.115" is the ' +
      'newest 0.115.x); without one it is the default branch, kept as "latest". ' +
      'A folder is kept as "local-YYYY-MM-DD" unless a version is named.',
    'Adding again reads the source again, embeds what is new, and replaces the version as a ' +
      'whole; until then queries see the old one. The exit code is 1 where some pages failed and ' +
      'the rest was indexed.',
  ],
  positionals: { library: { doc: 'name of the library', suggest: 'library' } },
  options: {
    source: {
      type: 'text',
      short: 's',
      placeholder: 'SOURCE',
      doc: 'where the documentation comes from',
    },
    version: {
      type: 'text',
      short: 'v',
      placeholder: 'VERSION',
      doc: 'tag or branch; for a folder, the name of the version',
      suggest: 'version',
    },
    'docs-path': {
      type: 'texts',
      short: 'd',
      placeholder: 'DOCS_PATH',
      doc: 'folder, file or glob inside the repository',
    },
    yes: { type: 'switch', short: 'y', doc: 'accepted for openground; og never asks here' },
    'base-url': {
      type: 'text',
      placeholder: 'URL',
      doc: 'address under which the pages of a folder are published',
    },
    'lock-timeout': {
      type: 'whole',
      placeholder: 'SECONDS',
      doc: 'wait that long for another og that writes this version',
      min: 0,
      max: 86_400,
      default: 600,
    },
    'filter-keyword': {
      type: 'texts',
      short: 'f',
      placeholder: 'WORD',
      doc: 'for sitemaps, which are not supported yet',
    },
    'sources-file': {
      type: 'text',
      placeholder: 'PATH',
      doc: 'a sources.json, which is not supported yet',
    },
    'trim-query-params': { type: 'switch', doc: 'for sitemaps, which are not supported yet' },
    json: { type: 'switch', doc: 'print the summary as a JSON object' },
  },
  examples: [
    'og add fastapi -s https://github.com/fastapi/fastapi -v 0.115.0 -d docs/en/docs',
    'og add handbook -s ./docs --base-url https://example.org/handbook',
    'og add mylib -s git@example.org:team/mylib.git -v 2',
  ],
  async run(context, { library, source, ...options }) {
    const { terminal, env } = context
    if (source === null) throw noSource(library)
    const detected = detectSource(source, {
      docsPaths: [...options['docs-path']],
      baseUrl: options['base-url'],
      cwd: process.cwd(),
      home: userHome(env),
    })
    for (const name of ['filter-keyword', 'sources-file', 'trim-query-params'] as const) {
      if (!isGiven(options[name])) continue
      terminal.note('warning', `--${name} has no effect on this source`)
    }
    await using og = await context.openOg(await loadConfig(env))
    using progress = showProgress(terminal, { label: library })
    const result = await og.add({
      library,
      version: options.version,
      source: detected.source,
      lockTimeoutMs: options['lock-timeout'] * 1000,
      onProgress: progress.report,
      signal: context.interruption(),
    })
    progress[Symbol.dispose]()
    const json = `${JSON.stringify(result, null, 2)}\n`
    await terminal.write(options.json ? json : renderSummary(result))
    return result.failed.length > 0 ? 1 : 0
  },
})

function isGiven(value: string | boolean | readonly string[] | null): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function noSource(library: string): OgError {
  return new OgError(`Cannot add "${library}": no source is named`, {
    hint: `og add ${library} --source GIT_URL_OR_FOLDER`,
  })
}
