import type { Relation } from '../../memory/relation/relation.ts'
import { html, type Html } from '../html.ts'

type Spot = { name: string; x: number; y: number }
type Edge = { from: number; to: number; predicate: string; isPast: boolean }

/** Maximum number of names in a readable picture. */
const mostNames = 30
const [width, height, margin] = [900, 520, 70]

/**
 * Draws the relations between the `mostNames` names with the most relations. Returns null for fewer
 * than two names.
 * @param addressOf returns the URL of a name's link
 */
export function relationGraph(
  relations: readonly Relation[],
  addressOf: (name: string) => string,
): Html | null {
  const names = namesIn(relations)
  const nodes = names.slice(0, mostNames)
  if (nodes.length < 2) return null
  const at = new Map(nodes.map((name, i) => [key(name), i]))
  const edges = relations.flatMap(({ subject, object, predicate, isPast }) => {
    const [from, to] = [at.get(key(subject)), at.get(key(object))]
    return from === undefined || to === undefined || from === to
      ? []
      : [{ from, to, predicate, isPast }]
  })
  const spots = layOut(nodes, edges)
  const left = names.length - nodes.length
  return html`<figure class="graph"><svg viewBox="0 0 ${width} ${height}" role="group"
 aria-label="Relations of ${nodes.length} names">
${edges.map((edge) => line(spots, edge))}
${spots.map((spot) => dot(spot, addressOf))}
</svg>${left > 0 && html`<figcaption class="soft">${left} more names are in the list</figcaption>`}
</figure>`
}

function namesIn(relations: readonly Relation[]): string[] {
  const ends = relations.flatMap(({ subject, object }) => [subject, object])
  const groups = [...Map.groupBy(ends, key).values()]
  return groups.sort((a, b) => b.length - a.length).map(([name]) => name!)
}

function key(name: string): string {
  return name.trim().toLowerCase()
}

function layOut(names: readonly string[], edges: readonly Edge[]): Spot[] {
  const round = (2 * Math.PI) / names.length
  const spots = names.map((name, i) => ({ name, x: Math.cos(i * round), y: Math.sin(i * round) }))
  const near = 1.6 / Math.sqrt(names.length)
  for (let step = 0; step < steps; step++) {
    const most = 0.1 * (1 - step / steps)
    const moves = spots.map((spot, i) => {
      const others = spots.filter((_, j) => i !== j)
      const neighbours = edges.flatMap(({ from, to }) =>
        from === i ? spots[to]! : to === i ? spots[from]! : [],
      )
      return sumOf([
        ...others.map((other) => force(spot, other, (distance) => near ** 2 / distance)),
        ...neighbours.map((other) => force(spot, other, (distance) => -(distance ** 2) / near)),
      ])
    })
    spots.forEach((spot, i) => {
      const { x, y } = moves[i]!
      const share = Math.min(1, most / (Math.hypot(x, y) || 1))
      spot.x += x * share
      spot.y += y * share
    })
  }
  return fitToPicture(spots)
}

const steps = 120

type Push = { x: number; y: number }

function force(spot: Spot, other: Spot, size: (distance: number) => number): Push {
  const [dx, dy] = [spot.x - other.x, spot.y - other.y]
  const distance = Math.max(0.01, Math.hypot(dx, dy))
  return { x: (dx / distance) * size(distance), y: (dy / distance) * size(distance) }
}

function sumOf(pushes: readonly Push[]): Push {
  return pushes.reduce((sum, { x, y }) => ({ x: sum.x + x, y: sum.y + y }), { x: 0, y: 0 })
}

function fitToPicture(spots: readonly Spot[]): Spot[] {
  const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)]
  const into = (value: number, all: number[], size: number) => {
    const [least, most] = [Math.min(...all), Math.max(...all)]
    const share = most - least < 1e-6 ? 0.5 : (value - least) / (most - least)
    return Math.round(margin + share * (size - 2 * margin))
  }
  return spots.map(({ name, x, y }) => ({ name, x: into(x, xs, width), y: into(y, ys, height) }))
}

function line(spots: readonly Spot[], { from, to, predicate, isPast }: Edge): Html {
  const [a, b] = [spots[from]!, spots[to]!]
  const [x, y] = [Math.round((a.x + b.x) / 2), Math.round((a.y + b.y) / 2)]
  const [turn, side] = [Math.atan2(b.y - a.y, b.x - a.x), 7]
  const tip = { x: b.x - 16 * Math.cos(turn), y: b.y - 16 * Math.sin(turn) }
  const corners = [0.4, -0.4].map((open) => {
    const angle = turn + open
    const cornerX = Math.round(tip.x - side * Math.cos(angle))
    return `${cornerX},${Math.round(tip.y - side * Math.sin(angle))}`
  })
  const [tipX, tipY] = [Math.round(tip.x), Math.round(tip.y)]
  const line = html`<line x1="${a.x}" y1="${a.y}" x2="${tipX}" y2="${tipY}"/>`
  const arrow = html`<polygon points="${tipX},${tipY} ${corners.join(' ')}"/>`
  const label = html`<text x="${x}" y="${y}">${shorten(predicate)}</text>`
  return html`<g class="edge${isPast && html` past`}">${line}${arrow}${label}</g>
`
}

function dot({ name, x, y }: Spot, addressOf: (name: string) => string): Html {
  return html`<a href="${addressOf(name)}"><title>${name}</title><circle cx="${x}" cy="${
    y
  }" r="9"/><text x="${x}" y="${y - 16}">${shorten(name)}</text></a>
`
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length > 22 ? `${characters.slice(0, 21).join('')}…` : text
}
