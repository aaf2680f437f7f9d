import { loadConfig } from '../../../config/load.ts'
import { acquireModelFiles, localModel } from '../../../config/embedders.ts'
import { settings } from '../../../config/setting.ts'
import { readUserFile, writeSettings } from '../../../config/user-file.ts'
import { findModel, fingerprintOf, models, modelSize } from '../../../embed/models.ts'
import { formatBytes } from '../../../platform/file/size.ts'
import { jsonText } from '../../../platform/json.ts'
import { loadNatives } from '../../../platform/native/load.ts'
import { renderTable } from '../../answer/table.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { jsonOption } from '../../operation-options.ts'
import { noteWithoutEffect } from './config.ts'

const list = command({
  name: 'model list',
  summary: 'list the embedding models with size and licence',
  options: { json: jsonOption },
  examples: ['og model list'],
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
  examples: ['og model use granite-embedding-small-english-r2', 'og model use bge-small-en-v1.5'],
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
    await writeSettings(await readUserFile(env), values)
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
