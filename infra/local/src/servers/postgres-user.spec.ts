import { parseUsers } from './postgres-user.js';

it('reads the users of a system', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/bash\npostgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\n\n';
  expect(parseUsers(passwd)).toEqual([
    { name: 'root', uid: 0, gid: 0 },
    { name: 'postgres', uid: 101, gid: 104 },
  ]);
});
