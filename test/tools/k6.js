import { check } from 'k6'
import http from 'k6/http'

const reads = { executor: 'constant-vus', vus: 4, duration: '5s', exec: 'listPets' }
export const options = { scenarios: { reads }, thresholds: { checks: ['rate==1'] } }

export function listPets() {
  const pets = http.get(`${__ENV.BASE}/pets?limit=20`, { headers: { Authorization: `Bearer ${__ENV.KEY}` } })
  check(pets, {
    'the list has 20 pets': ({ status, body }) => status === 200 && JSON.parse(body).length === 20,
  })
}
