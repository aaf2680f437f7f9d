import {
  loadSettings,
  nestByDots,
  type EffectiveSetting,
  loadConfig,
} from '../../../config/load.ts'
import { userPaths } from '../../../config/paths.ts'
import {
  describeAllowedValues,
  parseValue,
  settings,
  type Setting,
  unknownKeys,
} from '../../../config/setting.ts'
import { deleteUserFile, readUserFile, writeSettings } from '../../../config/user-file.ts'
import { OgError } from '../../../platform/error.ts'
import { didYouMean } from '../../../platform/text/nearest.ts'
import { jsonText } from '../../../platform/json.ts'
import { command, option } from '../../command.ts'
import { confirm } from '../../terminal.ts'
import type { Context } from '../../context.ts'
import { renderTable } from '../../screen/layout.ts'
import { jsonOption } from '../../operation-options.ts'
import { acquireModelFiles, localModel } from '../../../config/embedders.ts'
import { findModel, fingerprintOf, models, modelSize } from '../../../embed/models.ts'
import { formatBytes } from '../../../platform/file/space.ts'
import { loadNatives } from '../../../platform/native/load.ts'

const path = command({
  name: 'config path',
  summary: 'print the path of config.json',
  options: { json: jsonOption },
  async run({ env, terminal }, { json }) {
    const path = userPaths(env).configFile()
    await terminal.write(json ? jsonText({ path }) : `${path}\n`)
    return 0
  },
})

const show = command({
  name: 'config show',
  summary: 'print the effective settings',
  options: {
    defaults: option.flag('print the defaults instead'),
    origins: option.flag('print a table with the origin of each value'),
    json: option.flag('print JSON (always, without --origins)'),
  },
  async run({ env, terminal }, { defaults, origins, json }) {
    const { file, effective, problems } = await loadSettings(env)
    terminal.note('plain', `Path to config file: ${file.path}`)
    for (const problem of defaults ? [] : problems) terminal.note('warning', problem.message)
    for (const key of defaults ? [] : unknownKeys(file.content)) {
      terminal.note('warning', `${file.path} has "${key}", which is not a setting of og`)
    }
    const rows = effective
      .filter(({ setting }) => !setting.unused)
      .map((it) => (defaults ? { ...it, value: it.setting.default, origin: 'default' } : it))
      .map((it) => (it.setting.secret && it.value !== null ? { ...it, value: '***' } : it))
    const table = rows.map(({ setting, value, origin }) => ({ key: setting.key, value, origin }))
    if (!origins) await terminal.write(jsonText(nestByDots(rows)))
    else await terminal.write(json ? jsonText(table) : renderOrigins(rows, terminal.width()))
    return 0
  },
})

const read = command({
  name: 'config get',
  summary: 'print one setting',
  positionals: { key: { doc: 'dotted key: query.top_k', suggest: 'setting' } },
  options: { json: option.flag('print texts as JSON too') },
  async run({ env, terminal }, { key, json: asJson }) {
    const { effective, problems } = await loadSettings(env)
    const isMine = ({ setting }: EffectiveSetting) =>
      setting.key === key || setting.key.startsWith(`${key}.`)
    const mine = effective.filter(isMine)
    if (mine.length === 0) throw unknownKey(key)
    for (const problem of problems) terminal.note('warning', problem.message)
    const value = mine[0]!.setting.key === key ? mine[0]!.value : nestByDots(mine)[key]
    const isText = typeof value === 'string' && !asJson
    await terminal.write(isText ? `${value}\n` : jsonText(value))
    return 0
  },
})

const set = command({
  name: 'config set',
  summary: 'write one setting into config.json',
  positionals: {
    key: { doc: 'dotted key: query.top_k', suggest: 'setting' },
    value: { doc: 'the new value; null removes the setting' },
  },
  options: { json: jsonOption },
  async run(context, { key, value, json }) {
    const { env, terminal } = context
    const setting = settings.find((candidate) => candidate.key === key)
    if (setting === undefined) throw unknownKey(key)
    const parsed = value === 'null' ? null : parseSetting(setting, value)
    const file = await readUserFile(userPaths(env))
    await writeSettings(file, { [key]: parsed })
    if (file.problem) {
      terminal.note('warning', `${file.problem.message}; it was kept as ${file.path}.broken`)
    }
    terminal.note('plain', `Set ${key} = ${parsed}`)
    terminal.note('plain', `   Config saved to ${file.path}`)
    if (parsed !== null && !setting.unused) await noteWithoutEffect(context, setting)
    if (json) await terminal.write(jsonText({ path: file.path, key, value: parsed }))
    return 0
  },
})

const reset = command({
  name: 'config reset',
  summary: 'delete config.json',
  options: { yes: option.flag('do not ask', { short: 'y' }), json: jsonOption },
  async run({ env, terminal }, { yes, json }) {
    const file = await readUserFile(userPaths(env))
    if (!file.exists) {
      terminal.note('plain', 'No config file exists. Nothing to reset.')
      if (json) await terminal.write(jsonText({ path: file.path, deleted: false }))
      return 0
    }
    const what = `delete config file at ${file.path}`
    if (!(await confirm(terminal, { what, yes }))) return 1
    await deleteUserFile(file)
    terminal.note('plain', `Config file deleted: ${file.path}`)
    terminal.note('plain', '   All settings will use defaults.')
    if (json) await terminal.write(jsonText({ path: file.path, deleted: true }))
    return 0
  },
})

export const configCommands = [path, show, read, set, reset]

/**
 * Parses a JSON literal. Returns any other text unchanged, as upstream does. A choice keeps the
 * user's spelling.
 */
function parseSetting(setting: Setting, text: string): unknown {
  const value = parseValue(setting.kind, text)
  if (value === undefined) {
    const takes = describeAllowedValues(setting.kind)
    throw new OgError(`Cannot set ${setting.key} to "${text}": must be ${takes}`)
  }
  return setting.kind.type === 'choice' ? text : value
}

/**
 * Warns if the new value has no effect: the environment overrides it, or openground writes the same
 * value.
 */
async function noteWithoutEffect({ env, terminal }: Context, setting: Setting): Promise<void> {
  const { effective, file } = await loadSettings(env)
  const { value, origin } = effective.find((it) => it.setting === setting)!
  if (origin === file.path) return
  const why =
    origin === 'default' ? 'openground writes this value by default, so' : `${origin} is set, so`
  terminal.note('warning', `${why} ${setting.key} stays ${value ?? 'unset'}`)
}

function unknownKey(key: string): OgError {
  const keys = settings.map((setting) => setting.key)
  return new OgError(`Unknown setting "${key}"`, {
    hint: didYouMean(key, keys) || '"og config show" lists them',
  })
}

function renderOrigins(settings: readonly EffectiveSetting[], width: number | null): string {
  const rows = settings.map(({ setting, value, origin }) => [setting.key, String(value), origin])
  return renderTable([['KEY', 'VALUE', 'FROM'], ...rows], width)
}

const list = command({
  name: 'model list',
  summary: 'list the embedding models with size and licence',
  options: { json: jsonOption },
  async run(context, { json }) {
    const { terminal } = context
    const { config, natives } = await openPlaces(context)
    const isBuiltin = config.embeddings.backend === 'builtin'
    const used = isBuiltin ? findModel(config.embeddings.model) : null
    const rows = models.map((model) => ({
      model: model.id,
      dimensions: model.dimensions,
      bytes: modelSize(model),
      license: model.license,
      here: localModel(config, natives, fingerprintOf(model)) !== null,
      used: model === used,
    }))
    const cells = rows.map(({ model, dimensions, bytes, license, here, used }) => [
      model,
      String(dimensions),
      formatBytes(bytes),
      license,
      used ? 'used' : here ? 'on this machine' : '-',
    ])
    const head = ['MODEL', 'DIMENSIONS', 'SIZE', 'LICENCE', 'STATE']
    await terminal.write(
      json ? jsonText({ models: rows }) : renderTable([head, ...cells], terminal.width()),
    )
    return 0
  },
})

const use = command({
  name: 'model use',
  summary: 'download an embedding model and use it from now on',
  positionals: { model: { doc: 'name of the model, with or without its owner', suggest: 'model' } },
  options: { json: jsonOption },
  async run(context, { model: name, json }) {
    const { terminal, env } = context
    const model = findModel(name)
    const { id, license, dimensions } = model
    const bytes = modelSize(model)
    terminal.note('plain', `${id}: ${formatBytes(bytes)}, licence ${license}`)
    const { origin } = await acquireModelFiles(model, {
      ...(await openPlaces(context)),
      signal: context.interruption(),
      onProgress: (file, doneBytes) =>
        terminal.showStatus(
          `${file.name}: ${formatBytes(doneBytes)} of ${formatBytes(file.sizeBytes)}`,
        ),
    }).finally(() => terminal.showStatus(''))
    const values = {
      'embeddings.embedding_backend': 'builtin',
      'embeddings.embedding_model': id,
      'embeddings.embedding_dimensions': dimensions,
    }
    await writeSettings(await readUserFile(userPaths(env)), values)
    terminal.note('plain', `Set embeddings.embedding_model = ${id}`)
    for (const setting of settings.filter(({ key }) => key in values)) {
      await noteWithoutEffect(context, setting)
    }
    terminal.note('hint', '"og reembed" embeds the indexed libraries with it')
    if (json) await terminal.write(jsonText({ model: id, license, bytes, dimensions, origin }))
    return 0
  },
})

export const modelCommands = [list, use]

async function openPlaces({ env, terminal }: Context) {
  const config = await loadConfig(env)
  const natives = await loadNatives(config.cachePath, (line) => terminal.note('warning', line))
  return { config, natives }
}
