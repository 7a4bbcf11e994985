package api

import "strings"

// LoggedMembers are members with texts in openapi.yaml that are no secrets. A log shows the
// texts of no other member: what is undocumented may be secret.
var LoggedMembers = strings.Fields(`
	add availablePrivateEndpointIds azureContainerName backupName brokers bucketPath byocId caCertificate
	columnIds compression consumerGroup createdAt dataWarehouseId database dbVersion delimiter description
	destinationField encryptionAssumedRoleIdentifier encryptionRoleId excludedColumns expireAt finishedAt
	host iamRole iamRoleArn iamRoleSessionName id keySuffix name partitionBy path primaryKey
	privateEndpointIds protocol publicationName queueUrl region releaseChannel remove replicationSlotName
	requestId reversePrivateEndpointIds roles serviceId sortingKey sortingKeys source sourceField
	sourceSchemaName sourceTable startedAt state streamName table targetTable timestamp topics
	transparentDataEncryptionKeyId type updatedAt url usedAt username versionColumnId`)
