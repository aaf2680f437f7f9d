import { loadCommands } from '../../src/cli/commands/all.ts'
import { code, table } from './docs-table.ts'

const commands = await loadCommands()

/**
 * `one`: when a command exits with 1; null if it never does. `json`: the JSON that it prints; null
 * if it prints none.
 */
export type Answer = { one: string | null; json: string | null }

const noPage = 'a page could not be read; the rest is stored'
const declined = 'the user declined'
const added =
  '{library, version, status, pages, chunks, embedded, diff, skipped, failed, kept, ' +
  'incomplete, seconds}'
const extracted = '{library, version, path, pages, skipped, failed}'
const listed = 'list of {library, version, pages, chunks, source, indexed_at}'
const checked = 'list of {name, ok, detail}'
const deleted = '{deleted, in_use}'
const failing = 'a check failed'

/** One entry per command. Keys in braces are always present; a test runs each command. */
export const answers: Record<string, Answer> = {
  add: { one: noPage, json: added },
  init: {
    one:
      'a dependency could not be indexed completely, or with --check is not indexed in its ' +
      'version',
    json: 'list of {name, package, version, file, status, indexed}',
  },
  update: {
    one: 'a library, a page or the host of a better source could not be read',
    json: '{results, failures}',
  },
  jobs: {
    one: 'with --follow, the job could not read every page, or there is no job',
    json:
      'list of {library, version, state, phase, pages, chunks, to_embed, embedded, ' +
      'is_searchable, started_at, pid, exit_code, command}',
  },
  query: {
    one: 'no hits, or a requested library is not indexed or is damaged',
    json: '{query, library, version, hits, confidence, omitted, notes}',
  },
  get: {
    one: 'there is no such page, or it lacks the lines',
    json: '{library, version, url, title, text}',
  },
  context: {
    one: 'nothing is known for the task, or a requested library is not indexed',
    json: '{task, max_tokens, tokens, text, memory, documentation, warnings}',
  },
  list: {
    one: null,
    json: `${listed.slice(0, -1)}, bytes, previous_bytes, stale, pack, incomplete, tag}`,
  },
  pack: {
    one: 'with --all, a library version cannot be packed',
    json:
      '{library, version, pages, chunks, vectors, license}, and path and bytes; or with ' +
      '--check format, sha256, title, source, ref, commit, indexed_at and model; with --all ' +
      '{packs, failed}; with --bundle {path, bytes, packs}',
  },
  copy: {
    one: 'a library version could not be copied',
    json: 'list of {library, version, status, problem}',
  },
  'registry build': { one: null, json: '{serial, packs, added, removed, written}' },
  'registry key': { one: null, json: '{secret, public, key}' },
  'registry add': { one: null, json: '{name, url, signed, serial}' },
  'registry list': { one: null, json: 'list of {name, url, signed, serial}' },
  'registry remove': { one: null, json: 'list of {name, url, signed, serial}' },
  'registry search': {
    one: 'no pack was found',
    json: 'list of {library, version, title, pages, chunks, size, license, model, registry}',
  },
  'ci build': {
    one: 'a build has failed, or does not pass; its published version stays',
    json: '{serial, results}',
  },
  gc: { one: null, json: '{dry_run, bytes, freed}' },
  upgrade: { one: 'there is a newer version (--check)', json: '{status, from, to}' },
  diff: { one: null, json: '{from, to, pages}; with --api {from, to, changes}' },
  api: { one: null, json: '{library, version, symbols}' },
  reembed: { one: 'a library or a page could not be embedded', json: '{results, failures}' },
  rollback: { one: null, json: '{library, version, pages, chunks, source, indexed_at}' },
  watch: {
    one: null,
    json: `a line for each change: ${added}, or {library, version, error, hint}`,
  },
  remove: { one: declined, json: listed },
  'extract-sitemap': { one: noPage, json: extracted },
  'extract-git': { one: noPage, json: extracted },
  embed: { one: noPage, json: added },
  'list-raw-libraries': { one: null, json: 'list of {library, version, path}' },
  'import-raw': { one: 'a folder or a page could not be read', json: `list of ${added}` },
  mcp: { one: null, json: null },
  serve: { one: null, json: null },
  'keys add': { one: null, json: '{name, libraries, may, key}' },
  'keys list': { one: null, json: 'list of {name, libraries, may}' },
  'keys remove': { one: null, json: 'list of {name, libraries, may}' },
  open: { one: null, json: null },
  'install-mcp': {
    one: null,
    json: 'list of {client, server, path, change, replaced_openground, backup, skill}',
  },
  'memory read': {
    one: 'there is no such file',
    json: '{mode, file, start_line, end_line, exists, content, chars, total_lines, hash}',
  },
  'memory search': {
    one: 'no entries',
    json: '{mode, query, source, count, results, next_offset, relations, warnings}',
  },
  'memory write': {
    one: null,
    json: '{file, tier, timestamp, chars_written, deduplicated, mode, entry_id, write_id}',
  },
  'memory relate': { one: null, json: '{relation, line, write_id}' },
  'memory relations': {
    one: 'no relations',
    json:
      'list of {id, subject, predicate, object, note, date, confidence, source, since, ' +
      'until, is_past, line}',
  },
  'memory list': { one: null, json: '{files, count}' },
  'memory bootstrap': { one: null, json: '{content, chars}' },
  'memory compact': { one: null, json: '{tier, chars_written, backup, write_id}' },
  'memory sync': {
    one: 'a file could not be indexed',
    json: '{added, updated, deleted, skipped, errors}',
  },
  'memory history': {
    one: null,
    json: 'list of {id, at, op, file, summary, chars_added, chars_removed, undone}',
  },
  'memory undo': { one: null, json: '{undone, op, file, write_id}' },
  'memory capture': {
    one: 'the notes could not be taken; agents treat 2 as a refusal',
    json: null,
  },
  'memory inbox': {
    one: 'the inbox is empty',
    json:
      'list of {id, kind, to, text, client, session, turn, at}; after a decision ' +
      '{accepted, dropped, left}',
  },
  'memory audit': { one: 'there are findings', json: 'list of {kind, file, message}' },
  'memory doctor': { one: failing, json: checked },
  'memory backup': { one: null, json: '{name, path, files}' },
  'memory list-backups': { one: null, json: 'list of {spec, name, path}' },
  'memory restore': {
    one: `there is no such backup, or ${declined}`,
    json: '{restored, files, backup}',
  },
  'memory export': { one: null, json: '{path, files}; with `--to` {path, notes, relations}' },
  'memory import': {
    one: null,
    json: '{files, backup}; with `--from` {added, duplicates, relations, known_relations, skipped}',
  },
  'memory mcp': { one: null, json: null },
  'memory serve': { one: '`--health`: no healthy server answers', json: null },
  'memory schemas': { one: null, json: null },
  'sources trust': { one: null, json: '{folder, trusted}' },
  sources: {
    one: 'no list has the library',
    json: 'list of {library, file, entry}; of one, the object',
  },
  eval: {
    one: 'an arm of the measurement changes no answer',
    json:
      '{library, version, questions, unknown_gold, max_tokens, arms, changed_top_5, alarms}; ' +
      'of `--self` {libraries}; ' +
      'of `--model` {library, version, models, dimensions, license, bytes}',
  },
  doctor: { one: failing, json: checked },
  'config path': { one: null, json: '{path}' },
  'config show': { one: null, json: 'the settings, as in config.json' },
  'config get': { one: null, json: 'the value' },
  'config set': { one: null, json: '{path, key, value}' },
  'model list': { one: null, json: '{models}' },
  'model use': { one: null, json: '{model, license, bytes, dimensions, origin}' },
  'config reset': { one: declined, json: '{path, deleted}' },
  'stats show': { one: null, json: '{libraries, versions, chunks, tool_calls}' },
  'stats reset': { one: declined, json: '{path, tool_calls}' },
  'nuke all': { one: declined, json: deleted },
  'nuke raw_data': { one: declined, json: deleted },
  'nuke embeddings': { one: declined, json: deleted },
  completion: { one: null, json: null },
  version: { one: null, json: '{version}' },
}

/** Returns the text of docs/reference/exit-codes.md. */
export function renderAnswers(): string {
  const visible = commands.filter(({ hidden }) => !hidden)
  const rows = visible.map(({ name }) => {
    const { one = null, json = null } = answers[name] ?? {}
    return [code(`og ${name}`), one ?? '–', json ?? '–']
  })
  return `${introduction}\n\n${table(['Command', 'Exits with 1', '`--json` prints'], rows)}\n`
}

const introduction = `# Exit codes and JSON

Generated by \`scripts/build/docs.ts\`. A test runs the commands and compares their output.

| code | means | stdout | stderr |
|---|---|---|---|
| 0 | done | the answer | warnings and hints, if any |
| 1 | done, but the answer is no or incomplete | the available part | the reason |
| 2 | an error or wrong usage; nothing was changed | nothing | \`error: …\`, often \`hint: …\` |
| 129, 130, 143 | ended by a signal (closed terminal, Ctrl-C, SIGTERM) | | |

Data goes to stdout, everything else to stderr. With \`--json\`, stdout contains only JSON. The keys
in braces are always present, and others may be added. \`og query --jsonl\` prints one object per
line. \`--quiet\` hides progress and hints. With \`--no-input\`, og exits with 2 instead of asking.

\`mcp\`, \`serve\` and similar commands run until a signal ends them. \`completion\` and
\`memory schemas\` write for a shell or a model.`
