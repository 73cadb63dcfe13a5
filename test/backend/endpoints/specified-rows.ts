/**
 * Every endpoint of the specification, typed from its tables and not from the contract: the success code, then every
 * error code that its row lists. Where a row has a dash or two codes: POST 201, DELETE 200.
 */
const table = `
POST   /auth/login                               200
DELETE /auth/logout                              200 401
POST   /auth/refresh                             200 401
GET    /auth/permissions                         200
GET    /auth/ldap/configuration                  200
POST   /auth/ldap/configuration                  201
DELETE /auth/ldap/configuration                  204

GET    /strategy_rules                           200
POST   /strategy_rules                           201
DELETE /strategy_rules                           200 404
GET    /strategy_rules/extension                 200
GET    /strategy_rules/{id}                      200 404
PATCH  /strategy_rules/{id}                      200 400 404
DELETE /strategy_rules/{id}                      200 404

GET    /clients                                  200
GET    /clients/{client_id}                      200
POST   /clients/tree                             200 404
PATCH  /clients/{client_id}                      200 400 404
DELETE /clients                                  200 404

GET    /task_queue                               200
POST   /task_queue                               201
DELETE /task_queue                               200 404
GET    /task_queue/extension                     200
GET    /task_queue/{id}                          200 404
DELETE /task_queue/{id}                          200 404
DELETE /task_queue/{status}                      200 404

GET    /tasks                                    200
GET    /tasks/extensions                         200
GET    /tasks/{task_id}                          200 404
DELETE /tasks                                    204 404
POST   /tasks/restart                            204 400
POST   /tasks/{task_id}/pause                    204 400
POST   /tasks/{task_id}/continue                 204 400
POST   /tasks/{task_id}/kill                     204 400
GET    /tasks/{task_id}/info/clients             200
GET    /tasks/{task_id}/info/servers             200

GET    /pools                                    200
GET    /pools/{pool_id}                          200
POST   /pools                                    201
PATCH  /pools/{pool_id}                          200 400 404
DELETE /pools                                    204 207 404
GET    /pools/destination_available              200

GET    /repository                               200
DELETE /repository                               200 404
POST   /repository/deletion_reference_chain      200
GET    /repository/extension                     200
GET    /repository/{id}                          200
DELETE /repository/{id}                          200 404
PATCH  /repository/{id}                          200 400 404
POST   /repository/{id}/copying                  201 404
POST   /repository/{id}/moving                   201 404
POST   /repository/{id}/restoring                201 400 404
POST   /repository/{id}/verification             201 404

GET    /client_bandwidth                         200
POST   /client_bandwidth                         201
DELETE /client_bandwidth                         200 404
GET    /client_bandwidth/{id}                    200
PATCH  /client_bandwidth/{id}                    200 400 404
DELETE /client_bandwidth/{id}                    200 404

GET    /dynamic_pool_groups                      200
POST   /dynamic_pool_groups                      201
DELETE /dynamic_pool_groups                      200
GET    /dynamic_pool_groups/{id}                 200
PATCH  /dynamic_pool_groups/{id}                 200 400 404
DELETE /dynamic_pool_groups/{id}                 200 404

GET    /dynamic_pool_groups_records              200
POST   /dynamic_pool_groups_records              201
DELETE /dynamic_pool_groups_records              200 404
GET    /dynamic_pool_groups_records/{id}         200
DELETE /dynamic_pool_groups_records/{id}         200 404

GET    /tape_libraries                           200
POST   /tape_libraries                           201
DELETE /tape_libraries                           200 404
GET    /tape_libraries/{id}                      200 404
DELETE /tape_libraries/{id}                      200 404
GET    /tape_libraries/candidates                200
POST   /tape_libraries/candidates/info           200
POST   /tape_libraries/tree                      200
POST   /tape_libraries/{id}/sync                 200 422

GET    /storage_local_catalogs                   200
POST   /storage_local_catalogs                   201
DELETE /storage_local_catalogs                   200 404
GET    /storage_local_catalogs/{id}              200 404
PATCH  /storage_local_catalogs/{id}              200 400 404
DELETE /storage_local_catalogs/{id}              200 404

GET    /storage_block_devices                    200
POST   /storage_block_devices                    201
DELETE /storage_block_devices                    200
GET    /storage_block_devices/{id}               200 404
PATCH  /storage_block_devices/{id}               200 400 404
DELETE /storage_block_devices/{id}               200 404

GET    /media_servers                            200
GET    /media_servers/{server_id}                200
PATCH  /media_servers/{server_id}                200 400 404
DELETE /media_servers                            200 404

POST   /auditors                                 201
GET    /auditors                                 200
DELETE /auditors                                 200
GET    /auditors/{id}                            200
DELETE /auditors/{id}                            200 404

GET    /global_configuration                     200
PATCH  /global_configuration                     200 400
PATCH  /global_configuration/service_mode        200 400
`;

export interface SpecifiedRow {
  readonly method: string;
  readonly path: string;
  /** Success and errors; each must be seen. */
  readonly codes: readonly number[];
}

export const specifiedRows: readonly SpecifiedRow[] = table
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [method = '', path = '', ...codes] = line.split(/ +/);
    return { method, path, codes: codes.map(Number) };
  });
