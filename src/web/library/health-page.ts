import type { StoredVersion } from '../../library/list.ts'
import type { Health } from '../../library/quality/health.ts'
import { renderNames } from '../../library/quality/missing-names.ts'
import type { OgView } from '../../open.ts'
import { OgError } from '../../platform/error.ts'
import { action, redirect } from '../frame.ts'
import { html, type Html } from '../html.ts'
import { readAddress } from '../read/page-links.ts'
import type { Route, PageContent, Visit } from '../visit.ts'

export const healthRoutes: readonly Route[] = [
  { method: 'GET', path: '/health-of', answer: healthPage },
  { method: 'POST', path: '/health-of', answer: measure },
]

type MeasuredVersion = Pick<StoredVersion, 'library' | 'version' | 'indexedAt'>

/** Caches health measurements by `keyOf` until the library version is replaced. */
const healths = new WeakMap<OgView, Map<string, Health>>()

function keyOf({ library, version, indexedAt }: MeasuredVersion): string {
  return JSON.stringify([library, version, indexedAt])
}

function healthOf({ og }: Visit, version: MeasuredVersion): Health | null {
  return healths.get(og)?.get(keyOf(version)) ?? null
}

export function healthCell(visit: Visit, holding: StoredVersion): Html {
  const { library, version } = holding
  const health = healthOf(visit, holding)
  if (health !== null) {
    const address = `/health-of?${new URLSearchParams({ library, version })}`
    return html`<a href="${address}">${shownHealth(health)}</a>`
  }
  return action(visit, { path: '/health-of', name: 'Measure' }, { library, version })
}

function shownHealth({ health, questions }: Health): string {
  return health === null ? 'no questions' : `${health} % of ${questions}`
}

async function holdingOf({ og }: Visit, params: URLSearchParams): Promise<StoredVersion> {
  const [library, version] = [params.get('library'), params.get('version')]
  const holding = (await og.holdings()).find(
    (it) => it.library === library && it.version === version,
  )
  if (holding !== undefined) return holding
  const message = `"${library ?? ''}" is not indexed in version "${version ?? ''}"`
  throw new OgError(message, { code: 'absent' })
}

async function measure(visit: Visit): Promise<Response> {
  const holding = await holdingOf(visit, visit.form)
  const { library, version } = holding
  const {
    og,
    request: { signal },
  } = visit
  for await (const health of og.health({ library, version, signal })) {
    const ofThis = healths.get(og) ?? new Map<string, Health>()
    healths.set(og, ofThis.set(keyOf(holding), health))
  }
  return redirect(`/health-of?${new URLSearchParams({ library, version })}`)
}

async function healthPage(visit: Visit): Promise<PageContent> {
  const holding = await holdingOf(visit, visit.params)
  const { library, version } = holding
  const health = healthOf(visit, holding)
  const main = html`<div class="libraries">
<p class="place"><a href="/libraries">Libraries</a></p>
<h1>Health of ${library} <span class="badge">${version}</span></h1>
<p class="hint">og makes questions from the headings, sentences, links and code names of the
 library. The first five hits of each question should include its section.</p>
${holding.names?.missing && html`<p>It has ${renderNames(holding.names)}</p>`}
${holding.lacking !== null && html`<p>Not expanded in its pages: ${holding.lacking}</p>`}
${health === null ? healthCell(visit, holding) : renderMeasured(holding, health)}
</div>`
  return { title: `Health of ${library} ${version}`, main, place: 'libraries' }
}

const mostMissed = 50

function renderMeasured({ library, version }: StoredVersion, health: Health): Html {
  const { missed, questions } = health
  const lines = missed
    .slice(0, mostMissed)
    .map(
      ({ question, url, startLine: from }) =>
        html`<li>${question} <a class="path" href="${readAddress({
          library,
          version,
          url,
          from,
        })}">${url}, line ${from}</a></li>\n`,
    )
  if (questions === 0) return html`<p>Its pages contain no text for questions.</p>`
  return html`<p>${shownHealth(health)} questions are answered.</p>
${missed.length > 0 && html`<h2>Not found</h2>`}
<ul class="pages">${lines}</ul>`
}
