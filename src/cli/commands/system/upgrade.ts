import { dirname, join } from 'node:path'
import { version as current } from '../../../../package.json'
import { loadConfig } from '../../../config/load.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { lockTransient, type Lock } from '../../../platform/lock.ts'
import { buildTarget, bundledNatives, bundledOnnx } from '../../../platform/native/bundled.ts'
import { recordRollbackNatives } from '../../../platform/native/rollback-natives.ts'
import { freeOldNatives } from '../../../library/free.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import {
  installationAt,
  ownerCommand,
  type Installation,
  chooseArchive,
  fetchRelease,
  findPublisher,
} from '../../upgrade/releases.ts'
import type { Replacement } from '../../upgrade/replace.ts'
import { jsonOption } from '../../operation-options.ts'

export const upgrade = command({
  name: 'upgrade',
  summary: 'replace og with its newest release, or with a given version',
  positionals: { version: { doc: 'the version (default: the newest)', optional: true } },
  options: {
    check: option.flag('only check if there is a newer release'),
    rollback: option.flag('restore the executable before the last upgrade'),
    json: jsonOption,
  },
  async run(context, { version, check, rollback, json }) {
    const { env, terminal } = context
    if (rollback) {
      const { swapWithPrevious } = await import('../../upgrade/replace.ts')
      const { installed } = await ownInstallation()
      const { cachePath } = await loadConfig(env)
      const signal = context.interruption()
      using _turn = await lockUpgrade(installed)
      await checkInstalled(installed, { accepted: [current], signal })
      const to = await swapWithPrevious(installed, signal)
      await keepOwnNatives(join(cachePath, 'natives'), installed)
      const answer = { status: 'rolled-back', from: current, to }
      return tell(`Rolled back from og ${current} to ${to}.`, answer, 0)
    }
    const { gt, valid } = (await import('semver')).default
    const number = version?.replace(/^v/, '') ?? null
    if (number !== null && valid(number) === null) {
      throw new OgError(`Cannot upgrade to "${version}": it is not a version`)
    }
    const from = findPublisher(env)
    const { release, folder } = await fetchRelease(from, number)
    const to = release.version
    const isNewer = gt(to, current)
    // Only an explicit version can be a downgrade.
    if (to === current || (!isNewer && number === null)) {
      const remark = to === current ? '' : `, and the newest release ${to}`
      return tell(`This is og ${current}${remark}.`, { status: 'current', from: current, to }, 0)
    }
    if (check) {
      const line = `og ${to} is released; this is ${current}.`
      return tell(line, { status: 'available', from: current, to }, 1)
    }
    const { installed, target } = await ownInstallation()
    const files = chooseArchive(release, target)
    const url = `${folder}/${files.archive.file}`
    if (!(await replaceFiles(context, installed, { version: to, url, ...files }))) {
      const line = `Another process has installed og ${to}.`
      return tell(line, { status: 'current', from: to, to }, 0)
    }
    return tell(
      `Upgraded og ${current} to ${to}; "og upgrade --rollback" returns to it.`,
      { status: 'upgraded', from: current, to },
      0,
    )

    async function tell(line: string, answer: object, exitCode: number): Promise<number> {
      await terminal.write(json ? jsonText(answer) : `${line}\n`)
      return exitCode
    }
  },
})

async function ownInstallation(): Promise<{ installed: Installation; target: string }> {
  if (buildTarget === null) {
    throw new OgError('Cannot upgrade: og runs from source', { hint: 'git pull, npm run build' })
  }
  const owner = ownerCommand(process.execPath)
  if (owner === null) return { installed: installationAt(process.execPath), target: buildTarget }
  throw new OgError(`Cannot upgrade ${process.execPath}: a package manager owns it`, {
    hint: `run: ${owner}`,
  })
}

/** Returns false if another process has already installed this version. */
async function replaceFiles(
  { env, terminal, interruption }: Context,
  installed: Installation,
  files: Pick<Replacement, 'version' | 'url' | 'archive' | 'executable'>,
): Promise<boolean> {
  const { replaceInstallation } = await import('../../upgrade/replace.ts')
  const { cachePath } = await loadConfig(env)
  const signal = interruption()
  using _turn = await lockUpgrade(installed)
  const version = await checkInstalled(installed, { accepted: [current, files.version], signal })
  if (version === files.version) return false
  const megabytes = Math.round(files.archive.bytes / 1e6)
  terminal.note('plain', `Fetching og ${files.version}, ${megabytes} MB, and trying it`)
  await replaceInstallation(installed, { ...files, signal, onProgress: () => {} })
  const natives = join(cachePath, 'natives')
  await keepOwnNatives(natives, installed)
  await freeOldNatives(natives, { own: ownNatives(), isDry: false })
  return true
}

/**
 * Prevents two concurrent upgrades or rollbacks. The lock is in the executable's folder, because
 * each user has a separate cache.
 */
function lockUpgrade({ path }: Installation): Promise<Lock> {
  const lock = { timeoutMs: 10_000, what: 'the executable of og' }
  return lockTransient(join(dirname(path), '.og-upgrade.lock'), lock)
}

/**
 * Returns the version of the installed executable, which another process may have replaced since
 * this process started.
 * @throws OgError if it is not one of the accepted versions
 */
async function checkInstalled(
  { path }: Installation,
  { accepted, signal }: { accepted: string[]; signal: AbortSignal },
): Promise<string> {
  const { readVersion } = await import('../../upgrade/replace.ts')
  const version = await readVersion(path, signal)
  if (accepted.includes(version)) return version
  throw new OgError(`Cannot replace ${path}: another process has installed og ${version}`, {
    hint: 'run the command again',
  })
}

/** Keeps the natives of this version for a rollback. */
function keepOwnNatives(natives: string, { previous }: Installation): Promise<void> {
  return recordRollbackNatives(natives, { path: previous, folders: ownNatives() })
}

const ownNatives = () =>
  [bundledNatives, bundledOnnx].flatMap((set) => (set === null ? [] : [set.hash]))
