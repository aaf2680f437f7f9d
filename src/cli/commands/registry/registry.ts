import { basename } from 'node:path'
import { loadConfig } from '../../../config/load.ts'
import { expandPath, userPaths } from '../../../config/paths.ts'
import type { KnownRegistry } from '../../../library/registry/known-registries.ts'
import type { RegistryPack } from '../../../library/registry/index-format.ts'
import { messageOf, OgError } from '../../../platform/error.ts'
import { formatBytes } from '../../../platform/file/space.ts'
import { jsonText } from '../../../platform/json.ts'
import { renderTable } from '../../screen/layout.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { jsonOption } from '../../operation-options.ts'

export const keepPacksOption = option.whole(
  'N',
  'keep the N newest packs of each version, and delete older ones',
  { min: 1, max: 1000 },
)

export const lowestSerialOption = option.whole(
  'N',
  'lowest serial of the index, such as the number of a pipeline, in case the previous index ' +
    'is lost',
  { min: 0, max: Number.MAX_SAFE_INTEGER },
)

export const expiryDaysOption = option.whole('DAYS', 'days until the index expires', {
  min: 1,
  max: 3650,
  default: 30,
})

const build = command({
  name: 'registry build',
  summary: 'turn a folder of packs into a registry that any web server can serve',
  positionals: { dir: { doc: 'folder of packs' } },
  options: {
    key: option.text('FILE', 'secret key, as "og registry key" makes it'),
    days: expiryDaysOption,
    yank: option.texts('LIBRARY@VERSION', 'withdraw this pack: clients stop using it'),
    keep: keepPacksOption,
    serial: lowestSerialOption,
    json: jsonOption,
  },
  async run({ env, terminal }, { dir, key, days, yank, keep, json, ...options }) {
    const { buildRegistry } = await import('../../../library/registry/build-registry.ts')
    const secret = key === null ? null : await readSecretKey(expandPath(key, env))
    const built = await buildRegistry(expandPath(dir, env), {
      secret,
      days,
      yank,
      keep,
      serial: options.serial,
    })
    const { serial, packs, added, removed, isWritten } = built
    const changes = `(${added.length} added, ${removed.length} removed)`
    const text = isWritten
      ? `serial ${serial}, ${formatCount(packs, 'pack')} ${changes}`
      : `unchanged, serial ${serial}, ${formatCount(packs, 'pack')}`
    await terminal.write(
      json ? jsonText({ serial, packs, added, removed, written: isWritten }) : `${dir}: ${text}\n`,
    )
    if (secret === null) terminal.note('hint', 'it is not signed; sign it with --key FILE')
    return 0
  },
})

export async function readSecretKey(path: string) {
  const { parseSecretKey } = await import('../../../platform/minisign.ts')
  const hint = `og registry key ${shellWord(path)} makes a new pair of keys`
  return parseSecretKey(await keyText(path, hint))
}

async function keyText(path: string, hint?: string): Promise<string> {
  const { readTextFile } = await import('../../../platform/file/read-file.ts')
  return readTextFile(path, { limitMb: 1 }).catch((cause: Error) => {
    throw new OgError(`Cannot read key "${path}": ${messageOf(cause)}`, { hint, cause })
  })
}

const key = command({
  name: 'registry key',
  summary: 'make a key pair that signs a registry',
  positionals: { file: { doc: 'file for the secret key; it must not exist' } },
  options: { json: jsonOption },
  async run({ env, terminal }, { file, json }) {
    const { newMinisignKeys } = await import('../../../platform/minisign.ts')
    const { writeFile } = await import('node:fs/promises')
    const path = expandPath(file, env)
    const keys = newMinisignKeys()
    const write = (to: string, text: string, mode: number) =>
      writeFile(to, text, { mode, flag: 'wx' }).catch((cause: Error) => {
        throw new OgError(`Cannot write key "${to}": ${messageOf(cause)}`, { cause })
      })
    await write(path, keys.secretKey, 0o600)
    await write(`${path}.pub`, keys.publicKey, 0o644)
    const publicKey = keys.publicKey.split('\n')[1]!
    await terminal.write(
      json ? jsonText({ secret: path, public: `${path}.pub`, key: publicKey }) : `${publicKey}\n`,
    )
    return 0
  },
})

const add = command({
  name: 'registry add',
  summary: 'use packs of a registry from now on',
  positionals: { url: { doc: 'URL of the registry, or a folder' } },
  options: {
    key: option.text('KEY', 'public key, or a file that contains it'),
    name: option.text('NAME', 'local name of the registry'),
    trust: option.flag('use unsigned packs'),
    json: jsonOption,
  },
  async run(context, { url: address, key: typedKey, name, trust, json }) {
    const { env, terminal } = context
    const url = registryPlace(address, context)
    const key = typedKey === null ? null : await publicKey(typedKey, context)
    if (key === null) await checkTrust(context, url, trust)
    const registry: KnownRegistry = { name: name ?? nameOf(url), url, key, serial: 0 }
    const index = await readNow(context, registry)
    const { changeRegistries } = await import('../../../library/registry/known-registries.ts')
    await changeRegistries(userPaths(env).lists(), (all) => {
      const taken = all.find((it) => it.name === registry.name && it.url !== url)
      if (taken) {
        throw new OgError(`The name "${registry.name}" is already used by ${taken.url}`, {
          hint: `og registry add ${address} --name NAME`,
        })
      }
      const before = all.find((it) => it.url === url)
      const serial = Math.max(index.serial, before?.serial ?? 0)
      return [...all.filter((it) => it.url !== url), { ...registry, serial }]
    })
    const { packs, serial } = index
    const text = `${registry.name}: ${formatCount(packs.length, 'pack')} from ${url}\n`
    await terminal.write(json ? jsonText(registryJson({ ...registry, serial })) : text)
    return 0
  },
})

function registryPlace(address: string, { env }: Context): string {
  if (/^https?:/i.test(address)) return address.replace(/\/+$/, '')
  return /^file:/i.test(address) ? Bun.fileURLToPath(address) : expandPath(address, env)
}

async function publicKey(argument: string, { env }: Context): Promise<string> {
  const { parsePublicKey } = await import('../../../platform/minisign.ts')
  const text = /^RW[\w+/=]{54}$/.test(argument)
    ? argument
    : await keyText(expandPath(argument, env))
  parsePublicKey(text)
  return text.trim().split('\n').at(-1)!.trim()
}

async function checkTrust({ terminal }: Context, url: string, trust: boolean): Promise<void> {
  if (trust) return
  const what = `registry "${url}"`
  const hint = '--key KEY checks its signature; --trust accepts its unsigned packs'
  if (!terminal.canAsk) throw new OgError(`Cannot trust ${what}: no key was given`, { hint })
  if (await terminal.ask(`Accept unsigned packs from ${what}?`)) return
  throw new OgError(`Cannot add ${what}: it is not trusted; nothing was changed`, { hint })
}

function nameOf(url: string): string {
  return /^https?:/i.test(url) ? new URL(url).hostname : basename(url)
}

const list = command({
  name: 'registry list',
  summary: 'list the registries in use',
  options: { json: jsonOption },
  async run({ env, terminal }, { json }) {
    const { readRegistries } = await import('../../../library/registry/known-registries.ts')
    const all = await readRegistries(userPaths(env).lists())
    if (json) await terminal.write(jsonText(all.map(registryJson)))
    else if (all.length === 0) terminal.note('plain', 'No registries.')
    else {
      const rows = all.map(({ name, url, key, serial }) => [
        name,
        key === null ? 'unsigned' : 'signed',
        String(serial),
        url,
      ])
      const head = ['NAME', 'SIGNED', 'SERIAL', 'PLACE']
      await terminal.write(renderTable([head, ...rows], terminal.width()))
    }
    return 0
  },
})

const remove = command({
  name: 'registry remove',
  summary: 'stop using a registry',
  positionals: { name: { doc: 'name or address of the registry' } },
  options: { json: jsonOption },
  async run({ env, terminal }, { name, json }) {
    const { changeRegistries } = await import('../../../library/registry/known-registries.ts')
    const gone: KnownRegistry[] = []
    await changeRegistries(userPaths(env).lists(), (all) => {
      gone.push(...all.filter((it) => it.name === name || it.url === name))
      return all.filter((it) => !gone.includes(it))
    })
    if (gone.length === 0) {
      throw new OgError(`Cannot remove registry "${name}": it is not known`, {
        hint: 'og registry list',
      })
    }
    await terminal.write(
      json
        ? jsonText(gone.map(registryJson))
        : gone.map((it) => `Removed ${it.name} (${it.url})\n`).join(''),
    )
    return 0
  },
})

const search = command({
  name: 'registry search',
  summary: 'find packs in the registries',
  positionals: { text: { doc: 'words, or a part of one', variadic: true } },
  options: { json: jsonOption },
  async run(context, { text, json }) {
    const { env, terminal } = context
    const { readRegistries } = await import('../../../library/registry/known-registries.ts')
    const { searchPacks } = await import('../../../library/registry/read-registry.ts')
    const hits: { registry: string; pack: RegistryPack }[] = []
    for (const registry of await readRegistries(userPaths(env).lists())) {
      const index = await readNow(context, registry)
      const packs = searchPacks(index, text.join(' '))
      hits.push(...packs.map((pack) => ({ registry: registry.name, pack })))
    }
    if (json) await terminal.write(jsonText(hits.map(packJson)))
    else if (hits.length === 0) terminal.note('plain', 'No packs found.')
    else {
      const rows = hits.map(({ registry, pack: it }) => [
        it.library,
        it.version,
        String(it.pages),
        formatBytes(it.size),
        it.license ?? '-',
        registry,
        it.title,
      ])
      const head = ['LIBRARY', 'VERSION', 'PAGES', 'SIZE', 'LICENCE', 'REGISTRY', 'TITLE']
      await terminal.write(renderTable([head, ...rows], terminal.width()))
    }
    return hits.length > 0 ? 0 : 1
  },
})

async function readNow(context: Context, registry: KnownRegistry) {
  const { readRegistry } = await import('../../../library/registry/read-registry.ts')
  return readRegistry(registry, await registryReadingOptions(context))
}

export async function registryReadingOptions(context: Context) {
  const { join } = await import('node:path')
  await using og = await context.openOg(await loadConfig(context.env))
  const { dbPath } = await og.places()
  const folder = join(dbPath, 'registries')
  return { lists: userPaths(context.env).lists(), folder, signal: context.interruption() }
}

function registryJson({ name, url, key, serial }: KnownRegistry) {
  return { name, url, signed: key !== null, serial }
}

function packJson({ registry, pack }: { registry: string; pack: RegistryPack }) {
  const { library, version, title, pages, chunks, size, license, model } = pack
  return { library, version, title, pages, chunks, size, license, model, registry }
}

export const registryCommands = [build, key, add, list, remove, search]
