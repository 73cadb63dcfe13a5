import type { ConfigurationName } from '../../../contract/configuration/configuration-fields.ts';

const removal =
  'проверяется каждую минуту, но не в режиме обслуживания; отсчёт от конца задачи; 0\u00a0— хранить';
const fileSystemOnTape = 'ленты с файловой системой (LTFS), которых этот сервер не пишет';
const rules = 'ёмкость правил, которой на этом сервере нет';
const ruleLimits = 'ограничения правил, которых на этом сервере нет';
const otherHosts = 'клиенты на других узлах';

/** What each setting acts on, or what it is kept for. */
export const effects: Readonly<Record<ConfigurationName, string>> = {
  file_transfer_block_size:
    'четыре таких блока сжимаются вместе как кадр новой копии; значения больше 1048576 считаются за 1048576',
  done_tasks_remove_period: removal,
  error_tasks_remove_period: removal,
  broken_tasks_remove_period: removal,
  killed_tasks_remove_period: removal,
  obsoleted_backup_notification_period:
    'как часто журнал сервера предупреждает об истёкших копиях, которые удерживает правило, с причинами',
  rule_validity_end_notification_period: 'сроки правил, которых на этом сервере нет',
  strategy_validity_end_notification_period:
    'журнал сервера один раз предупреждает, что стратегия закончится в течение этого времени',
  rule_storage_capacity_reserve: rules,
  strategy_storage_capacity_reserve:
    'вместе с backup_strategies_capacity_limits: задача копирования заканчивается ошибкой, если копии стратегии превысят ёмкость за вычетом этой части',
  rule_storage_capacity_notification_period: rules,
  strategy_storage_capacity_notification_period:
    'журнал сервера сразу, а затем с этим промежутком предупреждает о стратегии, копии которой достигли ёмкости за вычетом резерва',
  pool_storage_capacity_reserve:
    'хранилища с меньшим свободным местом заполняются последними; копирование в такой пул отмечается предупреждением',
  suspended_task_restart_period: 'задачи, ожидающие ресурс, снова становятся новыми через это время',
  ltfs_umount_timeout: fileSystemOnTape,
  max_system_monitoring_records:
    'более старые замеры заполнения пулов сверх этого числа забываются; 0\u00a0— хранить все',
  monitoring_period: 'как часто измеряется заполнение пулов для статистики; хранятся только изменения',
  digital_signature_public_key_obsolence: 'подписанные копии, которых этот сервер не делает',
  clean_tape_drives_period:
    'привод чистится через столько дней после последней чистки или первого использования, пока он свободен; без чистящего картриджа привод помечается',
  dedup_clean_period:
    'как часто на всех блочных устройствах освобождаются ненужные блоки, в окне обслуживания, рядом с задачами',
  mandatory_storage_time: 'более новая копия не удаляется, даже истёкшая, и срок её нельзя сократить',
  wrong_auth_attempts_count: 'считается для каждой учётной записи; верный пароль начинает счёт с нуля',
  wrong_auth_block_period: 'пока учётная запись заблокирована, не принимается и верный пароль',
  filesystems_clean_period:
    'как часто из хранилищ убираются недоделанные и недоудалённые копии, в окне обслуживания, когда нет задач',
  remote_replica_rule_validity_end_notification_period: 'удалённые реплики, которых на этом сервере нет',
  cartridge_unload_timeout:
    'если привод не отдал картридж за это время, картридж остаётся в нём, и журнал сервера сообщает об этом',
  tape_library_warnings_limit: 'списки предупреждений; сообщения приводов видны у привода и в журналах',
  data_spred_into_pool:
    'хранилище новой копии: первое, где есть место, с наименьшим числом копий или с наибольшим местом',
  emergency_storage_local_catalog:
    'сюда идёт копирование в файловый пул без свободных хранилищ; только если папка существует',
  tape_library_mount_point: fileSystemOnTape,
  rb_key_hash: 'только чтение: создан при первом запуске',
  create_new_task_if_client_offline:
    'при «нет» запуск правила, клиент которого не в сети, пропускается с этой причиной; при «да» задача создаётся и ждёт',
  bandwith_limit_advantage: ruleLimits,
  bandwith_client_limit:
    'несколько ограничений сразу: окна клиента не пересекаются, действует не более одного',
  bandwith_rule_limit: ruleLimits,
  version: 'только чтение: версия этого сервера',
  unload_tape_cartriges_whes_media_server_starts:
    'при «да» картриджи из приводов возвращаются в свободные ячейки при запуске сервера',
  verify_archive_after_creation:
    'новая копия читается до завершения задачи; непрочитанная удаляется, и задача заканчивается ошибкой',
  kill_task_of_offline_client:
    'задача, клиент которой не в сети при её начале, прерывается; при «нет» приостанавливается и пробуется снова',
  auto_delete_archive_from_broken_chain: 'повреждённые копии удаляются вместе с истёкшими',
  consolidating_tape_library_tasks: 'задачи с общей смонтированной лентой; здесь у каждой своя очередь',
  auto_clean_tape_drives:
    'при «нет» привод, который просит чистки, не чистится; журнал задачи сообщает о просьбе',
  dedup_clean_unused_blocks: 'при «нет» ненужные блоки остаются, и очистка блоков не начинается',
  dedup_provide_common_hash_table_for_client: otherHosts,
  dedup_provide_common_hash_table: otherHosts,
  dedup_verify_only_meta_data:
    'у копии на блочных устройствах проверяется список файлов и наличие блоков; повреждение их байтов так не найти',
  repository_remove_chain: 'при «нет» копия, на которой основаны другие, удаляется только вместе с ними',
  show_previous_login_attempts_after_logging_in: 'при «нет» время прежних входов не сообщается',
  service_window_start: 'фоновая очистка начинается только в этом окне, по часам узла сервера',
  service_window_end: 'раньше начала — окно кончается на следующий день; равно началу — весь день',
  clean_tape_drives_last_time: 'только чтение: после каждой чистки ленточного привода',
  dedup_clean_last_time: 'только чтение: после каждой очистки блоков',
  filesystems_clean_last_time: 'только чтение: после каждой очистки хранилищ',
  clients_capacity_limits:
    'копирование клиента, достигшего предела, заканчивается ошибкой до начала, а превысившее предел — до сохранения копии',
  global_schedule_capacity_limits: rules,
  backup_strategies_capacity_limits:
    'копирования стратегии, достигшей ёмкости за вычетом резерва, заканчиваются ошибкой',
  immutable_archives: 'копия не удаляется до своего срока, а срок можно только увеличить',
  delete_archives_with_zeroing: 'файлы копии перед удалением перезаписываются нулями',
  dont_delete_last_gs_rule_archive:
    'последняя копия правила и последняя неповреждённая не удаляются и не истекают',
  dont_delete_last_strategy_rule_archive:
    'последняя копия правила стратегии и последняя неповреждённая не удаляются и не истекают',
  search_backup_in_cluster_group: 'кластерные группы, которых на этом сервере нет',
  allow_rapid_deleting_from_ltfs_tape: fileSystemOnTape,
};
